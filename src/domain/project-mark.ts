// How a project is known in a database that other machines share: by the first commits of its history. All clones have them.

/** `folder`: of the project within its repository, which may hold several. */
export type ProjectMark = { roots: readonly string[]; folder: string };

/** A history may get more first commits, by a merge of another one. */
export const isSameProject = (one: ProjectMark, other: ProjectMark): boolean =>
  one.folder === other.folder && one.roots.some((root) => other.roots.includes(root));

export const joinMarks = (one: ProjectMark, other: ProjectMark): ProjectMark => ({
  roots: [...new Set([...one.roots, ...other.roots])].sort(),
  folder: other.folder,
});
