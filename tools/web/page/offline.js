// A page that was visited works without a network: sw.js keeps it. Here it is told what was loaded before it was there.
const { serviceWorker } = navigator; // none in some private windows, nor without https
const python = () => document.documentElement.dataset.python === 'runs' && document.body.dataset.python;

async function keep() {
  await serviceWorker.register(new URL('sw.js', document.baseURI));
  const { active } = await serviceWorker.ready;
  active.postMessage({ keep: [location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)] });
  const keepPython = () => { if (python()) active.postMessage({ python: new URL(python(), document.baseURI).href }); };
  new MutationObserver(keepPython).observe(document.documentElement, { attributeFilter: ['data-python'] });
  keepPython();
}

if (serviceWorker && window.isSecureContext) {
  const begin = () => keep().catch(() => null); // without it the page works as ever
  if (document.readyState === 'complete') begin();
  else window.addEventListener('load', begin);
}
