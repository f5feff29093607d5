// Compiles the Python of all archives in a folder with the Python that will run it, and writes matplotlib's list of fonts:
// node compile.mjs folder
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// node would print the whole of Pyodide's code before an error
process.on('uncaughtException', (error) => { console.error(String(error.message).slice(-2000)); process.exit(1); });

const folder = resolve(process.argv[2]);
const { loadPyodide } = await import(pathToFileURL(join(folder, 'pyodide.mjs')));
const options = { indexURL: folder, env: { HOME: '/me', MPLBACKEND: 'agg', MPLCONFIGDIR: '/fonts' } };

const py = await loadPyodide(options);
const compile = py.runPython(`
import _imp, importlib._bootstrap_external as external, io, zipfile
from pyodide.ffi import to_js

def compiled(source, name):
    code = compile(source, name, "exec", dont_inherit=True, optimize=1)
    return bytes(external._code_to_hash_pyc(code, _imp.source_hash(external._RAW_MAGIC_NUMBER, source), False))

def compile_all(archive, keep, where):
    """Each module of an archive compiled; beside its source where that is to be shown."""
    old, out = zipfile.ZipFile(io.BytesIO(archive.to_py())), io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        def put(name, data):
            new.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
        for name in old.namelist():
            data = old.read(name)
            if name.endswith(".py"):
                folder, _, stem = name.rpartition("/")
                if keep:
                    put(name, data)
                    put(f"{folder}/__pycache__/{stem[:-3]}.cpython-312.pyc".lstrip("/"), compiled(data, where + name))
                else:
                    put(name + "c", compiled(data, name))
            else:
                put(name, data)
    return to_js(out.getvalue())
compile_all`);

const lock = JSON.parse(readFileSync(join(folder, 'pyodide-lock.json')));
for (const name of readdirSync(folder).filter((one) => /\.whl$|^course\.zip$/.test(one))) {
  const made = compile(new Uint8Array(readFileSync(join(folder, name))), name === 'course.zip', '/course/');
  writeFileSync(join(folder, name), made);
  for (const one of Object.values(lock.packages)) {
    if (one.file_name === name) one.sha256 = createHash('sha256').update(made).digest('hex');
  }
}
writeFileSync(join(folder, 'pyodide-lock.json'), JSON.stringify(lock));

const again = await loadPyodide(options);
await again.loadPackage(['matplotlib', 'numpy', 'pillow'], { messageCallback() {} });
writeFileSync(join(folder, 'fontlist.json'), again.runPython(`
from matplotlib import font_manager
font_manager.json_dump(font_manager.fontManager, "/fontlist.json")
open("/fontlist.json").read()`));
