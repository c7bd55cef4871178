import { featurePatterns } from '../context/feature-files.ts';
import { projectDocuments } from '../context/search.ts';
import type { Config } from '../domain/config.ts';
import type { Feature } from '../domain/tasks/feature.ts';

/** The files that a page may show of a feature, or, for null, of the project as a whole: no other is ever opened. */
export const documentsOf = (feature: Feature | null, config: Pick<Config, 'specs'>): string[] =>
  feature === null
    ? projectDocuments(config)
    : [...new Set([...(feature.spec_file === null ? [] : [feature.spec_file]), ...featurePatterns(feature)])];
