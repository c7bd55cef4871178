import type { Learning } from '../domain/learnings/learning.ts';

/** Where on these pages it stands among the others of its feature. */
export function hrefOfLearning({
  id,
  feature,
  archived,
}: Pick<Learning, 'id' | 'feature' | 'archived'>): string {
  const where = new URLSearchParams({
    ...(feature !== null && { feature }),
    ...(archived !== null && { archived: '1' }),
  });
  return `/knowledge?${where}#learning-${id}`;
}
