import { useEffect } from 'preact/hooks';
import type { SessionView } from '../src/ui/views/session.ts';
import { followStream, isPaused } from './live.ts';
import { useView, type ViewState } from './view.ts';

/** No event tells that a session is being checked, or how far its gates are. */
const RELOAD_EVERY_MS = 3_000;

/** A session, read again while it runs. `isFollowed`: this one's stream is followed; a page can follow one. */
export function useSession(name: string, isFollowed = true): ViewState<SessionView> {
  const shown = useView<SessionView>(
    `/api/sessions/${name}`,
    ({ session_id, kind }) => session_id?.startsWith(name) === true || kind.startsWith('run.'),
  );
  const { session, stream, isOver = true } = shown.value ?? {};
  const id = session?.id ?? null;
  useEffect(() => {
    if (id !== null && !isOver) return watch(isFollowed ? id : null, shown.reload);
  }, [id, isFollowed, isOver]);

  // The server reads a long stream in parts; the page shows what has been read so far.
  const isBehind = stream !== undefined && stream.read < (stream.size ?? 0);
  useEffect(() => {
    if (isBehind) shown.reload();
  }, [isBehind, stream]);
  return shown;
}

/** Reloads again and again; returns a function that ends it. `stream`: the session whose stream is followed. */
function watch(stream: string | null, reload: () => void): () => void {
  let isDue = false;
  const reloadUnlessPaused = (): void => {
    isDue = isPaused.value || document.hidden;
    if (!isDue) reload();
  };
  const timer = setInterval(reloadUnlessPaused, RELOAD_EVERY_MS);
  const ends = [
    () => clearInterval(timer),
    isPaused.subscribe(() => isDue && reloadUnlessPaused()),
    ...(stream === null ? [] : [followStream(stream, reloadUnlessPaused)]),
  ];
  return () => {
    for (const end of ends) end();
  };
}
