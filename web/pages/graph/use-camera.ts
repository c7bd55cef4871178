import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Drawing } from '../../../src/domain/graph/drawing.ts';
import { boxAt } from '../../../src/domain/graph/window.ts';
import { Camera } from './camera.ts';
import { attachGestures } from './gestures.ts';

/** Starts at a useful place; after that only the person moves it. When the layout changes, the chosen task stays put. */
export function useCamera(
  frame: RefObject<HTMLElement | null>,
  canvas: RefObject<HTMLElement | null>,
  drawing: Drawing,
  chosen: number | null,
): Camera | null {
  const [camera, setCamera] = useState<Camera | null>(null);
  const shown = useRef<Drawing | null>(null);
  useLayoutEffect(() => {
    if (frame.current === null || canvas.current === null) return;
    const created = new Camera(frame.current, canvas.current);
    const detachGestures = attachGestures(created);
    setCamera(created);
    return () => {
      detachGestures();
      created.stop();
    };
  }, [frame, canvas]);
  useLayoutEffect(() => {
    if (camera === null) return;
    const before = shown.current;
    shown.current = drawing;
    camera.size = drawing;
    if (before === null) {
      const first = drawing.byId.get(chosen ?? drawing.critical.tasks[0] ?? 0) ?? drawing.nodes[0];
      camera.begin(first === undefined ? null : boxAt(first));
      return;
    }
    if (before === drawing) {
      const node = drawing.byId.get(chosen ?? 0);
      if (node !== undefined) camera.reveal(boxAt(node));
      return;
    }
    const anchor = before.byId.get(chosen ?? 0) ?? before.nodes.find(({ id }) => drawing.byId.has(id));
    const now = drawing.byId.get(anchor?.id ?? 0);
    if (anchor === undefined || now === undefined) return;
    const scale = camera.scale.value;
    camera.move((anchor.x - now.x) * scale, (anchor.y - now.y) * scale);
  }, [camera, drawing, chosen]);
  return camera;
}
