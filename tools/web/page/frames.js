// A source of frames that were made beforehand: see frames.py. A pack is fetched when it is first asked for something.

// What a frame has that a pack does not carry.
const REST = { theme: 'light', error: null, guessed: [], dots: [], question: null, places: null };

async function unpacked(url) {
  const bytes = await (await fetch(url)).arrayBuffer();
  const size = new DataView(bytes).getUint32(0, true);
  const head = new Response(new Blob([bytes.slice(4, 4 + size)]).stream().pipeThrough(new DecompressionStream('gzip')));
  const pictures = new Blob([bytes.slice(4 + size)]);
  const { parts, ...more } = await head.json();
  return { ...more, parts: parts.map(([from, length, whole]) => ({ picture: pictures.slice(from, from + length, 'image/webp'), whole })) };
}

export class Frames {
  // `url(window, ending)` names a file; `progress` keeps what is guessed and reached.
  constructor(url, { spec, frames, stops }, progress) {
    Object.assign(this, { url, spec, starts: frames, progress, packs: {}, count: 0, at: frames.wide.at, narrow: false });
    this.allStops = stops;
    this.isLive = false;
  }

  // The places of the controls at which there are frames.
  get stops() { return this.allStops[this.window]; }

  get window() { return this.narrow ? 'narrow' : 'wide'; }

  // What was guessed, if it may be: the question's choices may have changed since. As Guess.may_be.
  get made() {
    const { key, choices, range } = this.spec.question ?? {};
    const made = this.progress.guess(key);
    if (typeof made === 'number' && range) return range[0] <= made && made <= range[1] ? made : undefined;
    return made === '' || choices?.includes(made) ? made : undefined;
  }

  // The first frame, with the first picture: all that is needed before anything moves.
  async first(narrow) {
    this.narrow = narrow;
    const picture = await (await fetch(this.url(this.window, 'webp'))).blob();
    const made = this.spec.question ? await this.answered(narrow) : {};
    return this.whole(this.starts[this.window], { narrow, picture, place: 'first', ...made });
  }

  whole(frame, { picture, over = null, place, narrow, answers = null, rests = false, ...more }) {
    this.count += 1;
    return {
      ...REST, ...frame, turn: this.count, answers, picture, over, type: 'image/webp', key: [`${place} ${narrow}`, 2, 'light'], rests,
      reached: this.spec.goals.map(([name]) => name).filter((name) => this.progress.has('goals', name)), ...more,
      guessed: frame.stands ? more.guessed ?? [] : [], // at other settings it would be wrong
    };
  }

  pack(narrow) {
    const window = narrow ? 'narrow' : 'wide';
    return this.packs[window] ??= unpacked(this.url(window, 'pack')).catch((error) => { delete this.packs[window]; throw error; });
  }

  // What is asked of a question, by what was guessed.
  async answered(narrow) {
    const { made } = this;
    if (made === undefined) return { question: { made: null, sign: '', answer: '', again: '' }, guessed: [] };
    const { told } = await this.pack(narrow);
    const away = ([one]) => (typeof one !== typeof made ? Infinity : one === made ? 0 : Math.abs(one - made) || Infinity);
    const [, question, guessed] = told.reduce((best, one) => (away(one) < away(best) ? one : best)); // a number need not lie on a step
    return { question: { ...question, again: 'ask me again' }, guessed };
  }

  send(message) {
    this.answer(message).then(
      (frame) => this.stage.show(frame),
      (error) => { // a network that is gone, say: the next move asks again
        console.warn(`no frame: ${error.message}`);
        this.stage.exchange.hear({ answers: message.number ?? null });
      },
    );
  }

  async answer(message) {
    const { kind, number: answers } = message;
    const { narrow } = this.stage.picture.screen();
    if (['rest', 'hello'].includes(kind) && !this.packs[narrow ? 'narrow' : 'wide'] && narrow === this.narrow) {
      return { ...this.stage.frame, answers, rests: true, turn: this.stage.frame.turn };
    }
    this.narrow = narrow;
    const pack = await this.pack(narrow);
    if (kind === 'guess') this.progress.commit(this.spec.question.key, message.guess);
    if (kind === 'set') this.at = message.at;
    if (kind === 'hold') this.at = this.held(pack, message);
    const made = this.spec.question ? await this.answered(narrow) : {};
    return this.frame(pack, { ...made, narrow, answers, rests: kind === 'rest' });
  }

  frame(pack, more) {
    const place = this.nearest(pack);
    const frame = { ...pack.base, ...pack.changes[place] };
    this.at = frame.at;
    if (frame.reaches.length && more.question?.made !== null) for (const name of frame.reaches) this.progress.add('goals', name);
    const number = pack.pictures[place]; // frames that differ in what glides alone have the same one
    if (number < 0) return this.whole(frame, { place, picture: new Blob(), ...more });
    const { picture, whole } = pack.parts[number];
    const pictures = whole ? { picture } : { picture: pack.parts[0].picture, over: picture };
    return this.whole(frame, { place, ...pictures, ...more });
  }

  // The number of the frame at the places nearest to those where the controls stand.
  nearest({ stops }, at = this.at) {
    return stops.reduce((sum, own, j) => {
      const away = own.map((stop) => Math.abs(stop - at[j]));
      return sum * own.length + away.indexOf(Math.min(...away));
    }, 0);
  }

  // Where the controls stand when one of them is moved in the picture: at the place that lies next to the pointer there.
  held(pack, { name, at: pointer, steps }) {
    const j = this.spec.controls.findIndex((control) => control.name === name);
    const with_ = (stop) => this.at.map((place, i) => (i === j ? stop : place));
    const own = pack.stops[j];
    if (steps !== undefined) {
      const here = own.indexOf({ ...pack.base, ...pack.changes[this.nearest(pack)] }.at[j]);
      return with_(own[Math.min(Math.max(here + steps, 0), own.length - 1)]);
    }
    const { along } = this.spec.holds[name];
    const away = own.map((stop) => {
      const place = { ...pack.base, ...pack.changes[this.nearest(pack, with_(stop))] }.holds[name];
      if (!place) return Infinity;
      const [across, down] = [place[0] - pointer[0], place[1] - pointer[1]];
      return along === 'x' ? Math.abs(across) : along === 'y' ? Math.abs(down) : Math.hypot(across, down);
    });
    return with_(own[away.indexOf(Math.min(...away))]);
  }
}
