// Runs in the page, beside JupyterLab: what the tests and the benchmark ask of it.
window.mlcoreTest = (() => {
  const outstanding = new Set(); // messages that the kernel has not yet answered with "idle"
  const watched = new WeakSet();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  const panel = () => window.jupyterapp?.shell?.currentWidget;
  const kernel = () => panel()?.sessionContext?.session?.kernel;
  const scroller = () => panel().node.querySelector('.jp-WindowedPanel-outer');
  const picture = (index) => document.querySelectorAll('.mlcore-explorer')[index].querySelector('img.mlcore-picture');

  // Follow every message to and from the kernel, so that "nothing is under way" can be known and not guessed.
  function watch(connection) {
    if (watched.has(connection)) return;
    watched.add(connection);
    connection.anyMessage.connect((_, { msg, direction }) => {
      if (direction === 'send' && msg.channel === 'shell') {
        outstanding.add(msg.header.msg_id);
      } else if (msg.header.msg_type === 'status' && msg.content.execution_state === 'idle') {
        outstanding.delete(msg.parent_header.msg_id);
      }
    });
  }

  function ready() {
    const current = panel();
    if (!current?.sessionContext?.isReady || !current.content?.model?.cells || !kernel()) return false;
    if (kernel().connectionStatus !== 'connected') return false;
    watch(kernel());
    return true;
  }

  // The line of a cell that needs what stands above it is an error too: see mlcore/classroom/calm.py.
  const calm = (output) => [].concat(output.data?.['text/html'] ?? []).join('').includes('mlcore-calm');
  const codeCells = () =>
    panel().content.widgets.filter((cell) => cell.model.type === 'code' && cell.model.sharedModel.getSource().trim());

  let running = null;
  function runAll() {
    panel().context.model.deleteMetadata?.('widgets');
    panel().content.widgets.forEach((cell) => cell.model.type === 'code' && cell.model.outputs.clear());
    running = 'running';
    window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => { running = 'done'; });
  }

  function finished() {
    if (running !== 'done') return false;
    const cells = codeCells();
    const wrong = (output) => output.output_type === 'error' || calm(output);
    const failed = cells.some((cell) => cell.model.outputs.toJSON().some(wrong));
    return failed || cells.every((cell) => cell.model.executionCount !== null);
  }

  function problems() {
    const found = [];
    const widgets = [];
    codeCells().forEach((cell, i) => {
      if (cell.model.executionCount === null) found.push(`code cell ${i + 1} did not run`);
      for (const output of cell.model.outputs.toJSON()) {
        if (output.output_type === 'error') found.push(`code cell ${i + 1}: ${output.ename}: ${output.evalue}`);
        if (calm(output)) found.push(`code cell ${i + 1}: ${output.data['text/plain']}`);
        if (output.output_type === 'stream' && output.name === 'stderr') {
          found.push(`code cell ${i + 1}, stderr: ${[].concat(output.text).join('')}`);
        }
        if (output.data?.['application/vnd.jupyter.widget-view+json'] && output.data['image/png']) {
          widgets.push(i + 1);
        }
      }
    });
    const shown = document.querySelectorAll('.mlcore-explorer img.mlcore-picture').length;
    if (shown !== widgets.length) found.push(`${widgets.length} explorers in the outputs, but ${shown} on the page`);
    for (const node of document.querySelectorAll('.jupyter-widgets-error-widget, .jp-RenderedText[data-mime-type*="stderr"]')) {
      found.push(`shown on the page: ${node.textContent.slice(0, 300)}`);
    }
    return found;
  }

  // The browser holds a slider's next position back until the kernel is idle, so one quiet moment is not enough. And a
  // picture in view that has come to rest is asked for once more, as sharp as the screen: until then its box says that
  // it moves. (Where no kernel answers, it never comes to rest.)
  const moving = () => document.querySelector('.mlcore-explorer:not(.jupyter-widgets-disconnected) .mlcore-stage[data-moves]');
  async function settle() {
    await frame();
    await frame(); // what has come into view, or has another size, is known
    let quiet = 0;
    for (let begun = performance.now(), idle = null; quiet < 3; ) {
      await pause(12);
      const answered = outstanding.size === 0;
      idle = answered ? idle ?? performance.now() : null;
      const still = !moving() || performance.now() - (idle ?? Infinity) > 10000;
      quiet = answered && still ? quiet + 1 : 0;
      if (performance.now() - begun > 60000) throw new Error(`the kernel did not come to rest: ${outstanding.size}`);
    }
    const pictures = [...document.querySelectorAll('img.mlcore-picture')];
    await Promise.all(pictures.filter((image) => image.src).map((image) => image.decode().catch(() => null)));
    await frame();
  }

  // Formulas are set after the cells have run; until then the notebook still grows.
  async function heightAtRest() {
    for (let same = 0, last = -1; same < 4; ) {
      await pause(100);
      same = scroller().scrollHeight === last ? same + 1 : 0;
      last = scroller().scrollHeight;
    }
  }

  // What lies out of view is not as sharp as it will be.
  function comeIntoView(index) {
    const [own, room] = [picture(index), scroller()].map((node) => node.getBoundingClientRect());
    if (own.bottom <= room.top + 1 || own.top >= room.bottom - 1) picture(index).scrollIntoView({ block: 'center' });
  }

  async function fingerprint(index) {
    comeIntoView(index);
    await settle();
    const bytes = await (await fetch(picture(index).src)).arrayBuffer();
    const marks = await marksAtRest(index);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('') + marks;
  }

  // What the page draws over a picture, when it has arrived where it glides to.
  async function marksAtRest(index) {
    const marks = document.querySelectorAll('.mlcore-explorer')[index].querySelector('.mlcore-marks');
    let last = null;
    while (marks && marks.innerHTML !== last) {
      last = marks.innerHTML;
      await pause(60);
    }
    return last ?? '';
  }

  // Where a picture is within its cell, and how high the cell is: neither may change when a control moves.
  function box(index) {
    const own = picture(index).getBoundingClientRect();
    const cell = picture(index).closest('.jp-Cell').getBoundingClientRect();
    return [own.left - cell.left, own.top - cell.top, own.width, own.height, cell.height].map(Math.round);
  }

  // Look at a picture in every frame that the browser paints, until told to stop.
  let record = null;
  function startRecording(index) {
    record = { frames: [], on: true };
    const mine = record;
    const image = picture(index);
    const look = () => {
      if (!mine.on) return;
      const place = image.getBoundingClientRect();
      mine.frames.push({
        // while the next picture is decoded the browser goes on showing the last, and reports no size
        broken: image.complete && image.naturalWidth === 0, loading: !image.complete, shownWidth: Math.round(place.width),
        shownHeight: Math.round(place.height), top: Math.round(place.top), source: image.src,
        visible: getComputedStyle(image).visibility === 'visible', attached: image.isConnected,
      });
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }
  function stopRecording() {
    record.on = false;
    return record.frames;
  }

  // The time from the next key press, or move of the mouse, to the moment that the new picture below `selector` has been
  // painted.
  function timeNextPicture(selector, what = 'keydown') {
    const root = document.querySelector(selector);
    return new Promise((resolve) => {
      let begun = null;
      const times = {};
      document.addEventListener(what, (event) => { begun = event.timeStamp; }, { capture: true, once: true });
      const follow = (_, { msg, direction }) => {
        if (begun === null || !msg.header.msg_type.startsWith('comm_msg')) return;
        if (direction === 'send') times.sent ??= performance.now() - begun;
        else times.received = performance.now() - begun;
      };
      const painted = () => requestAnimationFrame(() => {
        const channel = new MessageChannel(); // its message comes after the frame is painted
        channel.port1.onmessage = () => resolve({ ...times, painted: performance.now() - begun, begun });
        channel.port2.postMessage(null);
      });
      const observer = new MutationObserver((changes) => {
        const image = changes.flatMap((change) =>
          change.type === 'attributes' ? [change.target] : [...change.addedNodes].flatMap(
            (node) => (node.tagName === 'IMG' ? [node] : [...(node.querySelectorAll?.('img') ?? [])]))).pop();
        if (begun === null || !image) return;
        observer.disconnect();
        kernel().anyMessage.disconnect(follow);
        image.addEventListener('load', painted, { once: true });
      });
      kernel().anyMessage.connect(follow);
      observer.observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ['src'] });
    });
  }

  // From then on, the time until the picture has come to rest, as sharp as the screen.
  async function timeToRest(selector, begun) {
    while (document.querySelector(`${selector} .mlcore-stage`).dataset.moves !== undefined) await frame();
    await frame();
    return performance.now() - begun;
  }

  return {
    ready, runAll, finished, problems, settle, heightAtRest, fingerprint, box, startRecording, stopRecording, timeNextPicture,
    timeToRest, kernel,
  };
})();
