// What the page says, in its language: the template carries the sentences, here they are filled in.

const element = document.getElementById("texts");
const texts = element ? JSON.parse(element.textContent) : {};

// t("left", { count: 3 }) fills "{count}" in the text named "left".
export const t = (name, values = {}) => (texts[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
