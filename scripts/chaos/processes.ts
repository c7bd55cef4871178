// Who is alive, as /proc tells.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type Process = { pid: number; parent: number; command: string };

/** Living processes that work inside a folder, or carry one of the markers in their environment. */
export function processesOf(folder: string, markers: readonly string[]): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z' || state === 'X') return [];
        const isOurs =
          isBelow(folder, readlinkSync(`/proc/${name}/cwd`)) ||
          readFileSync(`/proc/${name}/environ`, 'utf8')
            .split('\0')
            .some((entry) => markers.includes(entry));
        if (!isOurs) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        // Gone meanwhile, or somebody else's.
        return [];
      }
    });
}

const isBelow = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);
