// Which part of the graph is visible. The camera moves one canvas behind the frame; only what the frame shows is drawn.
import { signal } from '@preact/signals';
import { type Box, holds } from '../../../src/domain/graph/window.ts';

type Point = { x: number; y: number };
type Size = { width: number; height: number };

const [SMALLEST, LARGEST] = [0.01, 2.5];
/** At a smaller scale the text in the boxes cannot be read. */
const READABLE = 0.5;
const MARGIN = 24;
/** The height of the buttons over the lower edge of the frame. */
const FOOT = 46;
const STEP = 1.25;
const STILL_AFTER_MS = 200;
/** Drawn around the visible part, so that a small move draws nothing new. */
const EXTRA_PX = 200;

/** `zone`: what is drawn, in canvas coordinates. `isFar`: too small to be read. */
export type Viewport = { zone: Box; isFar: boolean };

export class Camera {
  readonly scale = signal(1);
  /** What has to be drawn; null before the first look. */
  readonly viewport = signal<Viewport | null>(null);
  /** The size of the canvas. */
  size: Size = { width: 0, height: 0 };
  #x = MARGIN;
  #y = MARGIN;
  #moving: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;
  readonly #resized = new ResizeObserver(() => this.#lookSoon());

  constructor(
    readonly frame: HTMLElement,
    readonly canvas: HTMLElement,
  ) {
    this.#resized.observe(frame);
  }

  move(dx: number, dy: number): void {
    this.#show(this.#x + dx, this.#y + dy, this.scale.value);
  }

  /** The task at this point of the frame stays there. */
  zoom(factor: number, { x, y }: Point = this.#middle()): void {
    const old = this.scale.value;
    const scale = Math.min(LARGEST, Math.max(SMALLEST, old * factor));
    this.#show(x - ((x - this.#x) * scale) / old, y - ((y - this.#y) * scale) / old, scale);
  }

  zoomIn = (): void => this.zoom(STEP);
  zoomOut = (): void => this.zoom(1 / STEP);
  actualSize = (): void => this.zoom(1 / this.scale.value);

  /** The whole graph, as large as it fits. */
  fit = (): void => {
    const [room, { width, height }] = [this.#room, this.size];
    const wanted = Math.min((room.width - 2 * MARGIN) / width, (room.height - MARGIN - FOOT) / height, 1);
    const scale = Math.max(SMALLEST, wanted);
    this.#show((room.width - width * scale) / 2, (room.height + MARGIN - FOOT - height * scale) / 2, scale);
  };

  /** The whole graph where it can be read at that size, else its beginning. */
  begin(first: Box | null): void {
    this.fit();
    if (this.scale.value < READABLE) {
      this.#show(MARGIN, MARGIN, 1);
      if (first !== null) this.centre(first);
    }
    this.#look();
  }

  centre({ x, y, width, height }: Box): void {
    const room = this.#room;
    const scale = Math.max(this.scale.value, READABLE);
    this.#show(room.width / 2 - (x + width / 2) * scale, room.height / 2 - (y + height / 2) * scale, scale);
  }

  /** Moves no farther than needed to show the whole box. */
  reveal({ x, y, width, height }: Box): void {
    const room = this.#room;
    const scale = this.scale.value;
    const into = (start: number, length: number, space: number): number =>
      Math.max(0, MARGIN - start) + Math.min(0, space - MARGIN - start - length);
    const dx = into(this.#x + x * scale, width * scale, room.width);
    const dy = into(this.#y + y * scale, height * scale, room.height + MARGIN - FOOT);
    if (dx !== 0 || dy !== 0) this.move(dx, dy);
  }

  /** From screen to canvas coordinates. */
  toCanvas({ clientX, clientY }: MouseEvent): Point {
    const { left, top } = this.frame.getBoundingClientRect();
    const scale = this.scale.value;
    return {
      x: (clientX - left - this.frame.clientLeft - this.#x) / scale,
      y: (clientY - top - this.frame.clientTop - this.#y) / scale,
    };
  }

  stop(): void {
    clearTimeout(this.#moving);
    cancelAnimationFrame(this.#frame);
    this.#resized.disconnect();
  }

  get #room(): Size {
    return { width: this.frame.clientWidth, height: this.frame.clientHeight };
  }

  #middle(): Point {
    const { width, height } = this.#room;
    return { x: width / 2, y: height / 2 };
  }

  /** Some of the canvas always stays in the frame. */
  #show(x: number, y: number, scale: number): void {
    const within = (at: number, length: number, space: number): number =>
      Math.min(space - 3 * MARGIN, Math.max(3 * MARGIN - length * scale, at));
    const room = this.#room;
    this.#x = within(x, this.size.width, room.width);
    this.#y = within(y, this.size.height, room.height);
    // `data-moving` makes the browser move one picture. Not while zooming: it would stretch the picture of the old scale.
    this.frame.toggleAttribute('data-moving', scale === this.scale.value);
    this.scale.value = scale;
    // Lines that must be visible at every scale are measured in screen pixels.
    this.canvas.style.setProperty('--dot', `${1 / scale}px`);
    this.canvas.style.transform = `translate(${this.#x}px, ${this.#y}px) scale(${scale})`;
    this.frame.toggleAttribute('data-far', scale < READABLE);
    clearTimeout(this.#moving);
    this.#moving = setTimeout(() => this.frame.removeAttribute('data-moving'), STILL_AFTER_MS);
    this.#lookSoon();
  }

  /** Once per animation frame, however many events come in it. */
  #lookSoon(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#look());
  }

  #look(): void {
    const [scale, room] = [this.scale.value, this.#room];
    const around = (margin: number): Box => ({
      x: (-this.#x - margin) / scale,
      y: (-this.#y - margin) / scale,
      width: (room.width + 2 * margin) / scale,
      height: (room.height + 2 * margin) / scale,
    });
    const [before, zone, isFar] = [this.viewport.peek(), around(EXTRA_PX), scale < READABLE];
    const isDrawn = before !== null && before.isFar === isFar && holds(before.zone, around(0));
    // After zooming in, much of what was drawn is out of sight.
    if (!isDrawn || before.zone.width > 2 * zone.width) this.viewport.value = { zone, isFar };
  }
}
