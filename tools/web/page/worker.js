// Python in a worker: it loads Pyodide from the site's own folder, runs cells, and answers what explorers are asked.
let side;

async function start(folder, progress, screen) {
  const at = (name) => new URL(name, folder).href;
  const { loadPyodide } = await import(at('pyodide.mjs'));
  const archive = fetch(at('course.zip'));
  const fonts = fetch(at('fontlist.json'));
  const py = await loadPyodide({ indexURL: at(''), env: { MPLBACKEND: 'agg', HOME: '/me' } });
  await py.loadPackage(['numpy', 'matplotlib', 'pillow', 'pygments'], { messageCallback() {} });
  py.FS.writeFile('/lib/python3.12/site-packages/matplotlib/fontlist.json', await (await fonts).text());
  py.unpackArchive(await (await archive).arrayBuffer(), 'zip', { extractDir: '/course' });
  py.runPython(`
import sys, warnings
sys.path.insert(0, "/course")
warnings.filterwarnings("ignore", message="Unable to import Axes3D")
`);
  side = py.runPython('import worker_side; worker_side');
  side.remember(progress);
  side.look(screen.theme, screen.narrow);
  self.py = py;
}

// One message after the other, as they come.
const answers = {
  async start({ folder, progress, screen }) { await start(folder, progress, screen); return {}; },
  run({ source, name, learner }) { return { text: side.run(source, name, learner), heap: self.py._module.HEAP8.length }; },
  state({ text }) { return { text: side.put_states(text) }; },
  ask({ k, message }) {
    const [text, picture] = side.ask(k, message);
    return { text, picture };
  },
};

let last = Promise.resolve();
onmessage = ({ data: { id, kind, ...rest } }) => {
  last = last.then(async () => {
    try {
      const answer = await answers[kind](rest);
      postMessage({ id, ...answer }, answer.picture ? [answer.picture.buffer] : []);
    } catch (error) {
      postMessage({ id, error: String(error.message ?? error).slice(-800) });
    }
  });
};
