// The theme, before anything is painted: the reader's choice, or that of their system.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const kept = () => { try { return localStorage.getItem('mlcore-theme'); } catch { return null; } };
  const put = () => { document.documentElement.dataset.theme = kept() ?? (system.matches ? 'dark' : 'light'); };
  system.addEventListener('change', put);
  window.mlcoreTheme = (name) => { try { localStorage.setItem('mlcore-theme', name); } catch { /* for this page only */ } document.documentElement.dataset.theme = name; };
  put();
})();
