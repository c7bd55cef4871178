import type { Camera } from './camera.ts';

export const Zoom = ({ camera }: { camera: Camera }) => {
  const percent = Math.round(camera.scale.value * 100);
  return (
    <fieldset class="graph-zoom" aria-label="Zoom">
      <button type="button" aria-label="Zoom out" onClick={camera.zoomOut}>
        −
      </button>
      <button type="button" aria-label={`${percent}%, zoom to 100%`} onClick={camera.actualSize}>
        {percent}%
      </button>
      <button type="button" aria-label="Zoom in" onClick={camera.zoomIn}>
        +
      </button>
      <button type="button" onClick={camera.fit}>
        Fit
      </button>
    </fieldset>
  );
};
