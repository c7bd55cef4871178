/** Whether a path, as the project knows it, is of the project's own work: not elsewhere, and nothing of Ralph's or git's. */
export const isProjectPath = (path: string): boolean =>
  path !== '' &&
  !path.startsWith('/') &&
  !path.split('/').includes('..') &&
  !/^\.(ralph|git)(\/|$)/.test(path);

/** As somebody in the project would name its files. */
export const inProject = (text: string, root: string): string => text.replaceAll(`${root}/`, '');
