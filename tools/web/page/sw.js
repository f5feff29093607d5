// Keeps what was visited, so that it works without a network. What lies in a folder named by its contents never changes,
// and is taken from what is kept; all else is asked for anew, and taken from what is kept where there is no answer.
const KEPT = 'mlcore/1';
const HASHED = /(?:frames\/)?[a-z\d_]+-[\da-f]{12}(?=\/)/; // as in release.py
const PATIENCE = 4000; // milliseconds for an answer where there is a page to show instead
const NOT_THERE = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Not kept</title>
<body style="font: 1.1rem/1.5 system-ui; max-width: 36rem; margin: 3rem auto; padding: 0 1rem">
<h1>There is no network</h1><p>You have not visited this page, so it was not kept. These were:</p>`;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const inside = own(request.url);
  if (request.method !== 'GET' || inside === null || inside.endsWith('.zip') && !HASHED.test(inside)) return;
  event.respondWith(HASHED.test(inside) ? unchanging(event) : anew(event));
});

// { keep: addresses } keeps what was loaded before this worker was there, { python: folder } all of a folder with Python.
self.addEventListener('message', (event) => {
  const { keep = [], python } = event.data;
  event.waitUntil(all([...keep, ...(python ? [python] : [])].filter((url) => own(url) !== null), python));
});

// The rest of an address in this site, without what follows its ? and #; null for another site.
function own(url) {
  const { origin, pathname } = new URL(url);
  const whole = origin + pathname;
  const { scope } = self.registration;
  if (!whole.startsWith(scope)) return null;
  return whole.slice(scope.length) || 'index.html';
}

const key = (inside) => new Request(self.registration.scope + inside);

async function unchanging(event) {
  const { request } = event;
  const cache = await caches.open(KEPT);
  const name = key(own(request.url));
  const held = await cache.match(name);
  if (held) return held;
  const answer = await fetch(request);
  if (answer.status === 200) event.waitUntil(cache.put(name, answer.clone()).catch(() => null)); // the disk may be full
  return answer;
}

async function anew(event) {
  const { request } = event;
  const cache = await caches.open(KEPT);
  const name = key(own(request.url));
  const asked = fetch(request).then((answer) => {
    if (answer.status === 200 && !answer.redirected) {
      event.waitUntil(cache.put(name, answer.clone()).catch(() => null).then(() => (request.mode === 'navigate' ? forget(cache) : null)));
    }
    return answer;
  });
  const held = await cache.match(name);
  const instead = async () => held ?? (request.mode === 'navigate' ? new Response(NOT_THERE + await links(cache), { headers: { 'Content-Type': 'text/html' } }) : Response.error());
  const good = asked.then((answer) => (answer.status >= 500 && held ? held : answer), instead);
  if (!held) return good;
  event.waitUntil(good);
  return Promise.race([good, new Promise((done) => { setTimeout(() => done(held), PATIENCE); })]);
}

// A list of the pages that are kept, as HTML.
async function links(cache) {
  const pages = (await cache.keys()).filter(({ url }) => url.endsWith('.html'));
  const shown = await Promise.all(pages.map(async (page) => {
    const [, title] = (await (await cache.match(page)).text()).match(/<title>(.*?)<\/title>/s) ?? [];
    return `<li style="padding: .6rem 0"><a href="${page.url}">${title ?? own(page.url)}</a></li>`;
  }));
  return `<ul>${shown.sort().join('')}</ul>`;
}

async function all(urls, python) {
  const cache = await caches.open(KEPT);
  const names = urls.filter((url) => url !== python).map(own);
  if (python) {
    const folder = own(python).replace(/\/$/, '');
    const { python: files } = await (await fetch(key('release.json'))).json();
    names.push(...(files[folder] ?? []).map((file) => `${folder}/${file}`));
  }
  for (const inside of names) {
    const name = key(inside);
    if (inside.endsWith('.zip') && !HASHED.test(inside) || await cache.match(name)) continue;
    const answer = await fetch(name.url, { cache: 'force-cache' }).catch(() => null); // most of it the browser has at hand
    if (answer?.status === 200 && !answer.redirected) await cache.put(name, answer).catch(() => null);
  }
}

// Forget the folders that neither the site has any more nor a page that is kept names.
async function forget(cache) {
  const answer = await fetch(key('release.json'), { cache: 'no-cache' }).catch(() => null);
  if (answer?.status !== 200) return;
  const stay = new Set((await answer.json()).folders);
  const kept = await cache.keys();
  for (const page of kept.filter(({ url }) => url.endsWith('.html'))) {
    const text = await (await cache.match(page)).text();
    for (const [folder] of text.matchAll(new RegExp(HASHED, 'g'))) stay.add(folder);
  }
  for (const one of kept) {
    const folder = own(one.url).match(HASHED)?.[0];
    if (folder && !stay.has(folder)) await cache.delete(one);
  }
}
