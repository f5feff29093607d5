// What all parts of the stage use.

export function make(name, attributes = {}, ...content) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== undefined) node.setAttribute(key, value);
  }
  node.append(...content);
  return node;
}

export function draw(name, attributes = {}) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

export const clamp = (value, [low, high]) => Math.min(Math.max(value, low), high);
export const textOf = (node) => (node?.textContent ?? '').replace(/\u200b/g, '').trim();
export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
export const isDark = () => document.body.dataset.jpThemeLight === 'false' || document.documentElement.dataset.theme === 'dark';

// Act whenever the page's theme changes, until the function that is returned is called.
export function followTheme(act) {
  const themes = new MutationObserver(act);
  themes.observe(document.body, { attributes: true, attributeFilter: ['data-jp-theme-light'] });
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => themes.disconnect();
}

// In a narrow card the panels of a picture stand one below the other.
export const isNarrow = ({ clientWidth }) => clientWidth > 0 && clientWidth < 480;
