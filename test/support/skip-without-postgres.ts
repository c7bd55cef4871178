// Where this machine cannot run PostgreSQL, its tests are skipped one by one, and say why.
import { beforeEach, inject } from 'vitest';

beforeEach((context) => {
  const offer = inject('postgres');
  if ('problem' in offer) context.skip(offer.problem);
});
