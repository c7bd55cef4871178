import { Refusal } from '../domain/refusal.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import type { Reader } from '../store/database.ts';
import { findFeature, listFeatures, type StoredFeature } from '../store/tasks/features.ts';

export async function requireFeature(db: Reader, name: string): Promise<StoredFeature> {
  const feature = await findFeature(db, name);
  if (feature !== null) return feature;
  const names = (await listFeatures(db)).map((one) => one.name);
  throw new Refusal(`There is no feature "${name}"${didYouMean(name, names) || '.'}`);
}
