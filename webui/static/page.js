// The page follows the game: one event stream, one picture at a time, no libraries.

const el = (id) => document.getElementById(id);
const SIGNS = { ok: "✓", wait: "⋯", alarm: "!", lost: "×", over: "■" };
const PIECES = { w: "white-men", W: "white-kings", b: "black-men", B: "black-kings" };
const WORDS = JSON.parse(el("words").textContent);
const LANG = document.documentElement.lang;
const COMMA = LANG === "zh-Hant" ? "、" : ", ";
const GAP = LANG === "zh-Hant" ? "" : " ";
const STOP = LANG === "zh-Hant" ? "。" : ". ";
const SEMICOLON = { el: "· ", "zh-Hant": "；" }[LANG] ?? "; ";

/** A text in the viewer's language, its names filled in. */
const words = (key, names = {}) => WORDS[key].replace(/\{(\w+)\}/g, (_, name) => names[name]);

let state = {};
let shownPly = null; // null: the game as it stands; 0: the start; n: after the nth move
let flipped = null; // null: as the picture shows it
let hint = null;
let said = { ply: null, incident: null };

// ---------------------------------------------------------------- drawing

function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function isFlipped() {
  return flipped ?? state.game?.white_side === "top";
}

function corner(square) {
  const [row, column] = state.game.places[square - 1];
  const n = state.game.size;
  return isFlipped() ? [n - 1 - column, n - 1 - row] : [column, row];
}

function centre(square) {
  const [x, y] = corner(square);
  return [x + 0.5, y + 0.5];
}

function crown(x, y, side) {
  const points = [[-0.2, 0.13], [-0.24, -0.13], [-0.1, -0.01], [0, -0.2], [0.1, -0.01], [0.24, -0.13], [0.2, 0.13]];
  return svg("polygon", { points: points.map(([a, b]) => `${x + a},${y + b}`).join(" "), class: `crown-${side}` });
}

function piece(square, sign, ghost = false) {
  const side = sign.toLowerCase() === "w" ? "white" : "black";
  const [x, y] = centre(square);
  const group = svg("g", ghost ? { class: "ghost" } : {});
  const disc = (cy) => group.append(
    svg("circle", { cx: x, cy, r: 0.36, class: `man-${side}` }),
    svg("circle", { cx: x, cy, r: 0.25, class: `man-${side} ring` }),
  );
  if (sign === sign.toUpperCase()) {
    disc(y + 0.05);
    disc(y - 0.07);
    group.append(crown(x, y - 0.06, side));
  } else {
    disc(y);
  }
  return group;
}

function frameOf(square, kind) {
  const [x, y] = corner(square);
  return svg("rect", { x: x + 0.05, y: y + 0.05, width: 0.9, height: 0.9, rx: 0.06, class: kind });
}

function cross(square, kind, reach = 0.26) {
  const [x, y] = centre(square);
  return svg("path", { class: kind, d: `M${x - reach} ${y - reach}L${x + reach} ${y + reach}M${x + reach} ${y - reach}L${x - reach} ${y + reach}` });
}

function plus(square, kind) {
  const [x, y] = centre(square);
  return svg("path", { class: kind, d: `M${x} ${y - 0.3}V${y + 0.3}M${x - 0.3} ${y}H${x + 0.3}` });
}

function pathOf(squares, kind) {
  return svg("polyline", { points: squares.map((s) => centre(s).join(",")).join(" "), class: kind });
}

/** What the board shows: the game as it stands, or a position of the past. */
function view() {
  const moves = state.moves ?? [];
  if (shownPly !== null && shownPly <= moves.length) {
    const move = moves[shownPly - 1];
    return { squares: move?.squares ?? state.game.start, last: move, live: false };
  }
  return { squares: state.squares, last: moves.at(-1), live: true };
}

function drawBoard() {
  const board = el("board");
  if (!state.game) return;
  const { size, names, places } = state.game;
  const { squares, last, live } = view();
  const incident = live ? state.incident : null;
  board.setAttribute("viewBox", `0 0 ${size} ${size}`);
  const nodes = [svg("rect", { width: size, height: size, class: "sq-light" })];
  // A move that was let stand may have no path: it was no move of one piece.
  const shown = !incident && last?.path.length ? last : null;
  const marks = { last: !!shown, wrong: false, put: false, lift: false, hint: false };
  const labels = [];
  places.forEach((_, i) => {
    const [x, y] = corner(i + 1);
    nodes.push(svg("rect", { x, y, width: 1, height: 1, class: "sq-dark" }));
    const label = svg("text", { x: x + 0.045, y: y + 0.17, class: "sq-number" });
    label.textContent = names[i];
    labels.push(label);
  });
  if (shown) nodes.push(pathOf(shown.path, "mark-path"));
  const wrong = incident?.squares ?? [];
  for (const square of wrong) {
    nodes.push(frameOf(square, "mark-wrong"));
    marks.wrong = true;
  }
  // While something is wrong the board shows what lies there, not what the record says.
  const lies = [...squares];
  for (const [square, seen] of incident?.restore ?? []) lies[square - 1] = seen;
  lies.forEach((sign, i) => { if (sign !== "." && sign !== "?") nodes.push(piece(i + 1, sign, !state.game.started)); });
  if (shown) {
    nodes.push(frameOf(shown.path[0], "mark-last"), frameOf(shown.path.at(-1), "mark-last"));
    for (const square of shown.captured) nodes.push(cross(square, "mark-taken", 0.16));
  }
  for (const [square, seen, wanted] of incident?.restore ?? []) {
    if (wanted === ".") {
      nodes.push(cross(square, "mark-under"), cross(square, "mark-lift"));
      marks.lift = true;
    } else {
      if (seen === ".") nodes.push(piece(square, wanted, true));
      nodes.push(plus(square, "mark-under"), plus(square, "mark-put"));
      marks.put = true;
    }
  }
  if (live && hint?.path) {
    nodes.push(pathOf(hint.path, "hint-path"), frameOf(hint.path[0], "mark-hint"), frameOf(hint.path.at(-1), "mark-hint"));
    marks.hint = true;
  }
  board.replaceChildren(...nodes, ...labels);
  for (const item of document.querySelectorAll("#legend li")) item.classList.toggle("shown", marks[item.dataset.for]);
  const list = (sign) => [...squares].flatMap((s, i) => (s === sign ? [names[i]] : [])).join(COMMA) || words("none");
  el("board-text").textContent = ["w", "W", "b", "B"]
    .filter((s) => s === s.toLowerCase() || squares.includes(s))
    .map((s) => words(PIECES[s], { squares: list(s) })).join(SEMICOLON) + STOP.trim();
  const past = el("past");
  past.hidden = live;
  if (!live) el("past-text").textContent = shownPly === 0 ? words("start-position") : words("after-move", { number: numberOf(shownPly), move: last.move });
}

function drawGrid() {
  const grid = el("grid");
  const overlay = state.overlay;
  if (!overlay) return grid.replaceChildren();
  grid.setAttribute("viewBox", `0 0 ${overlay.width} ${overlay.height}`);
  el("picture").style.aspectRatio = `${overlay.width} / ${overlay.height}`;
  const points = (line) => line.map((p) => p.join(",")).join(" ");
  const cell = (square, kind) => overlay.cells[square - 1] && svg("polygon", { points: points(overlay.cells[square - 1]), class: kind });
  const nodes = overlay.lines.map((line) => svg("polyline", { points: points(line), class: "grid-line" }));
  const incident = state.incident;
  const last = (state.moves ?? []).at(-1);
  if (incident) {
    nodes.push(...(incident.squares ?? []).map((s) => cell(s, "cell-wrong")));
    nodes.push(...incident.restore.filter(([, , wanted]) => wanted !== ".").map(([s]) => cell(s, "cell-put")));
  } else if (last?.path.length) {
    nodes.push(cell(last.path[0], "cell-last"), cell(last.path.at(-1), "cell-last"));
  }
  grid.replaceChildren(...nodes.filter(Boolean));
}

// ---------------------------------------------------------------- words

function nameOf(square) {
  return state.game?.names[square - 1] ?? String(square);
}

function restoreWords([square, seen, wanted]) {
  const names = { square: nameOf(square) };
  if (wanted === ".") return words(PIECES[seen] ? `take-${seen}` : "take-piece", names);
  return words(`${seen === "." ? "put" : "make"}-${wanted}`, names);
}

function drawBanner() {
  const banner = state.banner;
  if (!banner) return;
  el("banner").dataset.level = banner.level;
  el("banner-sign").textContent = SIGNS[banner.level] ?? SIGNS.wait;
  el("banner-title").textContent = banner.title;
  el("banner-text").textContent = banner.text;
  document.title = `${banner.title} · Crownhead`;
  const list = el("banner-restore");
  const restore = banner.level === "alarm" ? state.incident?.restore ?? [] : [];
  list.hidden = !restore.length || restore.length > 8;
  list.replaceChildren(...restore.map((item) => Object.assign(document.createElement("li"), { textContent: restoreWords(item) })));
}

function speak() {
  const moves = state.moves ?? [];
  const last = moves.at(-1);
  const ply = last ? last.ply : 0;
  // What stood when the page was opened is not news.
  if (said.ply !== null && ply > said.ply) el("say").textContent = words(`said-${last.side}`, { move: last.move }) + GAP + (state.banner?.title ?? "");
  said.ply = ply;
  const incident = state.incident ? `${state.banner?.title}${STOP}${state.banner?.text}` : "";
  if (incident !== said.incident) el("alarm").textContent = incident;
  said.incident = incident;
}

function drawCamera() {
  const camera = state.camera;
  if (!camera) return;
  const word = el("camera-word");
  word.textContent = words(`word-${camera.word}`);
  word.dataset.word = camera.word;
  el("picture").dataset.word = camera.word;
  el("camera-more").textContent = `${camera.text}${GAP}${camera.sight ?? ""}`.trim();
  const record = el("record-text");
  record.hidden = !state.record || state.record.ok;
  record.textContent = state.record?.text ?? "";
}

// ---------------------------------------------------------------- moves

function numberOf(count) {
  const move = (state.moves ?? [])[count - 1];
  return move ? Math.ceil(move.ply / 2) : count;
}

function drawMoves() {
  const moves = state.moves ?? [];
  const table = document.querySelector("#moves table");
  table.hidden = !moves.length;
  el("no-moves").hidden = moves.length > 0;
  const first = state.game?.first ?? "white";
  el("first-side").textContent = words(first);
  el("second-side").textContent = words(first === "white" ? "black" : "white");
  const rows = [];
  let row = null;
  moves.forEach((move, i) => {
    const isFirst = move.side === first;
    if (!row || isFirst) {
      row = document.createElement("tr");
      row.append(document.createElement("td"), document.createElement("td"), document.createElement("td"));
      row.cells[0].textContent = `${Math.ceil(move.ply / 2)}.`;
      rows.push(row);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = move.move;
    button.dataset.count = i + 1;
    if (!move.legal || move.inferred) {
      const flag = document.createElement("span");
      flag.className = "flag";
      flag.textContent = move.legal ? "≈" : "!";
      flag.title = words(move.legal ? "inferred" : "illegal-stands");
      flag.setAttribute("aria-label", flag.title);
      button.append(flag);
    }
    const current = shownPly === null ? i === moves.length - 1 : i + 1 === shownPly;
    if (current) button.setAttribute("aria-current", "true");
    row.cells[isFirst ? 1 : 2].append(button);
  });
  table.tBodies[0].replaceChildren(...rows);
  const current = table.querySelector("[aria-current]");
  if (current) {
    // Scrolls the list only, never the page.
    const box = el("moves");
    const top = current.closest("tr").offsetTop;
    if (top < box.scrollTop + 40 || top + 50 > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  } else {
    el("moves").scrollTop = 0;
  }
  const count = moves.length;
  const at = shownPly ?? count;
  el("first").disabled = el("back").disabled = at === 0 || !count;
  el("forward").disabled = el("last").disabled = shownPly === null;
  el("game-line").textContent = state.about ? `${state.about.title}${state.about.note ? ` · ${state.about.note}` : ""}` : "";
}

function drawCounters() {
  const items = (state.counters ?? []).map((one) => {
    const item = document.createElement("li");
    item.textContent = one.text;
    item.classList.toggle("near", one.limit - one.so_far <= 3);
    return item;
  });
  const made = state.offences;
  if (made && (made.white || made.black)) {
    const item = document.createElement("li");
    item.textContent = words("offences", made);
    items.push(item);
  }
  el("counters").hidden = !items.length;
  el("counters").replaceChildren(...items);
  el("claim").hidden = !state.may_claim;
  if (state.may_claim) el("ends").open = true;
  el("ends").hidden = !state.game?.started;
  el("let-stand").hidden = !state.incident?.may_stand;
}

// What was irregular stays to be read after it was settled; the newest comes first.
function drawIrregularities() {
  const all = state.irregularities ?? [];
  el("irregular").hidden = !all.length;
  const items = all.map((one) => {
    const item = document.createElement("li");
    item.className = one.resolution === "open" ? "" : "settled";
    const when = document.createElement("span");
    when.className = "when";
    when.textContent = `${one.at} `;
    const title = document.createElement("strong");
    title.textContent = words("settled", { title: one.title, end: words(one.resolution) });
    const text = document.createElement("p");
    text.textContent = one.text;
    item.append(when, title, text);
    return item;
  });
  document.querySelector("#irregular ol").replaceChildren(...items.reverse());
}

function go(count) {
  const all = (state.moves ?? []).length;
  shownPly = count >= all ? null : Math.max(0, count);
  drawBoard();
  drawMoves();
  uncoverBoard();
}

// On a narrow screen the moves lie far below the board, which is what a choice among them changes.
function uncoverBoard() {
  const board = el("board").getBoundingClientRect();
  const top = el("banner").getBoundingClientRect().bottom;
  if ((board.top + board.bottom) / 2 > top) return;
  const first = el("past").hidden ? board : el("past").getBoundingClientRect();
  window.scrollBy(0, first.top - top - 8);
}

const at = () => shownPly ?? (state.moves ?? []).length;

// ---------------------------------------------------------------- news

function take(patch, isWhole) {
  const before = state;
  state = isWhole ? patch : { ...state, ...patch };
  const count = (state.moves ?? []).length;
  if (shownPly !== null && shownPly >= count) shownPly = null;
  if (before.squares !== state.squares || state.incident) {
    hint = null;
    el("hint-text").textContent = "";
  }
  el("hint").disabled = !state.game?.started;
  el("corner-tools").hidden = !state.game || state.game.started;
  if (corners && state.game?.started) el("leave-corners").click();
  drawBanner();
  drawBoard();
  drawMoves();
  drawIrregularities();
  drawCounters();
  drawGrid();
  drawCamera();
  speak();
}

let stream = null;
let lostSince = 0;

function connect() {
  if (stream || document.hidden) return;
  stream = new EventSource(`/events?lang=${LANG}`);
  const on = (isWhole) => (event) => {
    lostSince = 0;
    take(JSON.parse(event.data), isWhole);
  };
  stream.addEventListener("whole", on(true));
  stream.addEventListener("change", on(false));
  // A stream that comes back may have no news for long: that it is open is enough.
  stream.onopen = () => {
    if (!lostSince) return;
    lostSince = 0;
    drawBanner();
    drawCamera();
  };
  stream.onerror = () => {
    lostSince ||= Date.now();
    // A closed stream (the server said no) is not tried again by the browser.
    if (stream?.readyState === EventSource.CLOSED) {
      stream = null;
      setTimeout(connect, 3000);
    }
  };
}

function disconnect() {
  stream?.close();
  stream = null;
}

setInterval(() => {
  if (!lostSince || Date.now() - lostSince < 3000) return;
  el("banner").dataset.level = "lost";
  el("banner-sign").textContent = SIGNS.lost;
  el("banner-title").textContent = words("no-connection");
  el("banner-text").textContent = words("old");
  document.title = `${words("no-connection")} · Crownhead`;
  el("picture").dataset.word = "lost";
}, 1000);

// Hidden pages hold no connection: a browser has only six for each host.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) disconnect();
  else { connect(); pull(); }
});

// ---------------------------------------------------------------- picture

let picture = -1;
let pulling = false;

/** Ask for the next picture when the last one is here: a slow line shows fewer, never old ones. */
async function pull() {
  if (pulling || document.hidden) return;
  pulling = true;
  let pause = 100;
  try {
    const answer = await fetch(`/frame.jpg?after=${picture}`, { cache: "no-store" });
    if (answer.status === 200) {
      picture = Number(answer.headers.get("X-Picture"));
      const url = URL.createObjectURL(await answer.blob());
      const image = el("frame");
      await new Promise((done) => {
        image.onload = image.onerror = done;
        image.src = url;
      });
      URL.revokeObjectURL(url);
      image.hidden = false;
      el("no-picture").hidden = true;
      if (!state.overlay) el("picture").style.aspectRatio = `${image.naturalWidth} / ${image.naturalHeight}`;
    } else if (answer.status !== 204) {
      pause = 1000;
    }
  } catch {
    pause = 1000;
  }
  pulling = false;
  setTimeout(pull, pause);
}

// ---------------------------------------------------------------- controls

el("moves").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) {
    go(Number(button.dataset.count));
    document.querySelector(`#moves button[data-count="${at()}"]`)?.focus({ preventScroll: true });
  }
});
el("first").onclick = () => go(0);
el("back").onclick = () => go(at() - 1);
el("forward").onclick = () => go(at() + 1);
el("last").onclick = el("to-live").onclick = () => go(Infinity);
el("flip").onclick = () => {
  flipped = !isFlipped();
  el("flip").setAttribute("aria-pressed", String(flipped));
  drawBoard();
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const step = { ArrowLeft: () => at() - 1, ArrowRight: () => at() + 1, Home: () => 0, End: () => Infinity, Escape: () => Infinity }[event.key];
  if (!step) return;
  event.preventDefault();
  go(step());
});

/** Why the program refused something. Only a player's action is refused in the player's language. */
function problem(answer, body) {
  if (LANG === "en" || body.error.kind === "ActionRefused") return body.error.text;
  return words(answer.status === 503 ? "busy" : "refused");
}

el("hint").onclick = async () => {
  const button = el("hint");
  button.disabled = true;
  el("hint-text").textContent = words("thinking");
  try {
    const answer = await fetch(`/hint?lang=${LANG}`, { method: "POST" });
    const found = await answer.json();
    if (!answer.ok) {
      el("hint-text").textContent = problem(answer, found);
    } else {
      go(Infinity);
      hint = found;
      el("hint-text").textContent = found.text;
      drawBoard();
    }
  } catch {
    el("hint-text").textContent = words("no-answer");
  }
  button.disabled = false;
};

// What ends a game, or decides about a move, is asked twice: a finger slips easily.
let sure = null;
function unsure() {
  if (!sure) return;
  clearTimeout(sure.timer);
  sure.button.classList.remove("sure");
  sure.button.textContent = sure.label;
  sure = null;
}

for (const button of document.querySelectorAll("[data-act]")) {
  button.onclick = async () => {
    if (sure?.button !== button) {
      unsure();
      sure = { button, label: button.textContent, timer: setTimeout(unsure, 5000) };
      button.classList.add("sure");
      button.textContent = words("press-again", { label: sure.label });
      return;
    }
    unsure();
    const text = el("act-text");
    text.textContent = "";
    try {
      const answer = await fetch(`/act?lang=${LANG}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ action: button.dataset.act }),
      });
      if (!answer.ok) text.textContent = problem(answer, await answer.json());
      else if (button.closest("#ends")) el("ends").open = false;
    } catch {
      text.textContent = words("no-answer");
    }
  };
}

// ---------------------------------------------------------------- corners by hand

let corners = null; // four [x, y] in pixels of the picture shown, while they are being set

function drawCorners() {
  const box = el("handles");
  box.toggleAttribute("hidden", !corners);
  for (const id of ["use-corners", "leave-corners"]) el(id).hidden = !corners;
  el("set-corners").hidden = !!corners;
  if (!corners) return box.replaceChildren();
  const { naturalWidth: width, naturalHeight: height } = el("frame");
  box.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const handles = corners.map(([x, y], i) => svg("circle", {
    cx: x, cy: y, r: width / 32, class: "handle", tabindex: 0, role: "slider",
    "aria-label": words(`corner-${i + 1}`), "aria-valuetext": `${Math.round(x)}, ${Math.round(y)}`, "aria-valuenow": Math.round(x), "data-corner": i,
  }));
  box.replaceChildren(svg("polygon", { points: corners.map((p) => p.join(",")).join(" ") }), ...handles);
}

function moveCorner(i, x, y) {
  const { naturalWidth: width, naturalHeight: height } = el("frame");
  corners[i] = [Math.min(width, Math.max(0, x)), Math.min(height, Math.max(0, y))];
  const focused = document.activeElement?.dataset?.corner;
  drawCorners();
  if (focused !== undefined) el("handles").querySelector(`[data-corner="${focused}"]`)?.focus();
}

el("set-corners").onclick = () => {
  const { naturalWidth: w, naturalHeight: h } = el("frame");
  if (!w) return;
  corners = [[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]].map(([x, y]) => [x * w, y * h]);
  el("corner-text").textContent = words("drag-corners");
  drawCorners();
  el("handles").querySelector(".handle").focus({ preventScroll: true });
};
el("leave-corners").onclick = () => {
  corners = null;
  el("corner-text").textContent = "";
  drawCorners();
};
el("handles").addEventListener("pointerdown", (event) => {
  const i = event.target.dataset.corner;
  if (i === undefined) return;
  event.preventDefault();
  const box = el("handles");
  const move = (moved) => {
    const at = new DOMPoint(moved.clientX, moved.clientY).matrixTransform(box.getScreenCTM().inverse());
    moveCorner(Number(i), at.x, at.y);
  };
  box.setPointerCapture(event.pointerId);
  box.onpointermove = move;
  box.onpointerup = box.onpointercancel = () => { box.onpointermove = null; };
});
el("handles").addEventListener("keydown", (event) => {
  const i = event.target.dataset.corner;
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (i === undefined || !step) return;
  event.preventDefault();
  event.stopPropagation();
  const far = event.shiftKey ? 10 : 1;
  moveCorner(Number(i), corners[i][0] + far * step[0], corners[i][1] + far * step[1]);
});
el("use-corners").onclick = async () => {
  const { naturalWidth: width, naturalHeight: height } = el("frame");
  const text = el("corner-text");
  try {
    const answer = await fetch(`/corners?lang=${LANG}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ corners, width, height }),
    });
    text.textContent = answer.ok ? words("corners-taken") : problem(answer, await answer.json());
    if (answer.ok) corners = null;
    drawCorners();
  } catch {
    text.textContent = words("no-answer");
  }
};

new ResizeObserver(([entry]) => {
  document.documentElement.style.setProperty("--banner", `${Math.ceil(entry.borderBoxSize[0].blockSize)}px`);
}).observe(el("banner"));

connect();
pull();
