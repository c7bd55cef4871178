/** Whether a path, as the project knows it, is of the project's own work: not elsewhere, and nothing of Ralph's or git's. */
export const isProjectPath = (path: string): boolean =>
  path !== '' &&
  !path.startsWith('/') &&
  !path.split('/').includes('..') &&
  !/^\.(ralph|git)(\/|$)/.test(path);

/** As somebody in the project would name its files. Agents like to begin a shell line by going where they are. */
export function inProject(text: string, root: string): string {
  if (!text.includes(root)) return text;
  const here = new RegExp(`${root.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(/|(?![\\w.-]))`, 'g');
  return text.replace(here, (_, slash) => (slash === '/' ? '' : '.')).replace(/\bcd ["']?\.?["']? && /, '');
}
