// What part of the graph is seen. It moves one sheet of paper behind a window; nothing on the paper is drawn anew for that.
import { signal } from '@preact/signals';

type Box = { x: number; y: number; width: number; height: number };
type Point = { x: number; y: number };

const [SMALLEST, LARGEST] = [0.05, 2.5];
/** Smaller than that nobody reads the text in the boxes. */
const READABLE = 0.5;
const MARGIN = 24;
/** Of the buttons that lie over its lower edge. */
const FOOT = 46;
const STEP = 1.25;
const STILL_AFTER_MS = 200;

export class Camera {
  readonly scale = signal(1);
  #x = MARGIN;
  #y = MARGIN;
  #moving: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly frame: HTMLElement,
    readonly paper: HTMLElement,
  ) {}

  move(dx: number, dy: number): void {
    this.#show(this.#x + dx, this.#y + dy, this.scale.value);
  }

  /** What is at this point of the window stays there. */
  zoom(factor: number, { x, y }: Point = this.#middle()): void {
    const old = this.scale.value;
    const scale = Math.min(LARGEST, Math.max(SMALLEST, old * factor));
    this.#show(x - ((x - this.#x) * scale) / old, y - ((y - this.#y) * scale) / old, scale);
  }

  zoomIn = (): void => this.zoom(STEP);
  zoomOut = (): void => this.zoom(1 / STEP);
  actualSize = (): void => this.zoom(1 / this.scale.value);

  /** All of it, as large as it can be. */
  fit = (): void => {
    const { clientWidth, clientHeight } = this.frame;
    const { offsetWidth: width, offsetHeight: height } = this.paper;
    const wanted = Math.min((clientWidth - 2 * MARGIN) / width, (clientHeight - MARGIN - FOOT) / height, 1);
    const scale = Math.max(SMALLEST, wanted);
    this.#show((clientWidth - width * scale) / 2, (clientHeight + MARGIN - FOOT - height * scale) / 2, scale);
  };

  /** All of it where that can be read, else its beginning. */
  begin(first: Box | null): void {
    this.fit();
    if (this.scale.value >= READABLE) return;
    this.#show(MARGIN, MARGIN, 1);
    if (first !== null) this.centre(first);
  }

  centre({ x, y, width, height }: Box): void {
    const { clientWidth, clientHeight } = this.frame;
    const scale = Math.max(this.scale.value, READABLE);
    this.#show(clientWidth / 2 - (x + width / 2) * scale, clientHeight / 2 - (y + height / 2) * scale, scale);
  }

  /** No farther than it takes for this to be seen whole. */
  reveal({ x, y, width, height }: Box): void {
    const { clientWidth, clientHeight } = this.frame;
    const scale = this.scale.value;
    const into = (start: number, length: number, room: number): number =>
      Math.max(0, MARGIN - start) + Math.min(0, room - MARGIN - start - length);
    const dx = into(this.#x + x * scale, width * scale, clientWidth);
    const dy = into(this.#y + y * scale, height * scale, clientHeight + MARGIN - FOOT);
    if (dx !== 0 || dy !== 0) this.move(dx, dy);
  }

  stop(): void {
    clearTimeout(this.#moving);
  }

  #middle(): Point {
    return { x: this.frame.clientWidth / 2, y: this.frame.clientHeight / 2 };
  }

  /** Some of the paper always stays in the window. */
  #show(x: number, y: number, scale: number): void {
    const within = (at: number, length: number, room: number): number =>
      Math.min(room - 3 * MARGIN, Math.max(3 * MARGIN - length * scale, at));
    this.#x = within(x, this.paper.offsetWidth, this.frame.clientWidth);
    this.#y = within(y, this.paper.offsetHeight, this.frame.clientHeight);
    // Moved as one picture; but in another size that picture would be the whole paper, in the size that it had before.
    this.frame.classList.toggle('moving', scale === this.scale.value);
    this.scale.value = scale;
    this.paper.style.transform = `translate(${this.#x}px, ${this.#y}px) scale(${scale})`;
    this.frame.classList.toggle('far', scale < READABLE);
    clearTimeout(this.#moving);
    this.#moving = setTimeout(() => this.frame.classList.remove('moving'), STILL_AFTER_MS);
  }
}
