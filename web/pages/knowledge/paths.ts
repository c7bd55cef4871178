/** Where the learnings of a feature are read, or, for null, those of the whole project. */
export const learningsPath = (feature: string | null, isArchive: boolean): string =>
  `/api/learnings?${new URLSearchParams({
    ...(feature !== null && { feature }),
    ...(isArchive && { archived: '1' }),
  })}`;
