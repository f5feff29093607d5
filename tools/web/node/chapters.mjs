// Runs chapters under Pyodide: every cell, every solution, and one extreme of every explorer.
// node chapters.mjs folder cells.json ...: prints for each of the files what went wrong in it, as JSON.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// node would print the whole of Pyodide's code before an error
process.on('uncaughtException', (error) => { console.error(String(error.message).slice(-2000)); process.exit(1); });

const [folder, ...files] = process.argv.slice(2).map((one) => resolve(one));
const { loadPyodide } = await import(pathToFileURL(join(folder, 'pyodide.mjs')));
for (const file of files) {
  const py = await loadPyodide({ indexURL: folder, env: { HOME: '/me', MPLBACKEND: 'agg' } });
  await py.loadPackage(['matplotlib', 'numpy', 'pillow', 'pygments'], { messageCallback() {} });
  py.FS.writeFile('/lib/python3.12/site-packages/matplotlib/fontlist.json', readFileSync(join(folder, 'fontlist.json')));
  py.unpackArchive(new Uint8Array(readFileSync(join(folder, 'course.zip'))).buffer, 'zip', { extractDir: '/course' });
  py.FS.writeFile('/cells.json', readFileSync(file));
  console.log(py.runPython(`
import json, sys, warnings
sys.path.insert(0, "/course")
warnings.filterwarnings("ignore", message="Unable to import Axes3D")
import bridge

wrong = []
for i, (source, runs) in enumerate(json.load(open("/cells.json"))):
    told = bridge.run(source, f"cell {i + 1}", not runs)
    if told["error"]:
        wrong.append(f"cell {i + 1}: {told['error'][-300:]}")
    wrong += [f"cell {i + 1}: {one['text/plain']}" for one in told["shown"] if one.get("text/plain", "").startswith("✗")]
for k, explorer in enumerate(bridge.known):
    for message in ({"kind": "set", "at": [places - 1 for places in bridge.frame(explorer)["places"]]}, {"kind": "rest", "ratio": 2}):
        error = bridge.ask(explorer, message)["error"]
        if error:
            wrong.append(f"explorer {k + 1}: {error}")
json.dumps({"explorers": len(bridge.known), "wrong": wrong})`));
}
