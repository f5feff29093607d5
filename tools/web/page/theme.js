// The theme, before anything is painted: the reader's choice, or that of their system.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  const kept = () => { try { return localStorage.getItem('mlcore-theme'); } catch { return chosen; } };
  const put = () => {
    const theme = kept() ?? (system.matches ? 'dark' : 'light');
    Object.assign(document.documentElement.dataset, { theme, jpThemeLight: theme === 'light' }); // the second for the stage's sheets
  };
  system.addEventListener('change', put);
  window.mlcoreTheme = (name) => {
    try { localStorage.setItem('mlcore-theme', name); } catch { chosen = name; /* for this page only */ }
    put();
  };
  put();
})();
