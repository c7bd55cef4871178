// The configuration as it counts: what an agent writes into the file has no effect before a person approves it.
import type { Config } from '../../domain/config.ts';
import { acceptedFiles, type DefinitionPlace } from '../../host/definitions/accepted.ts';
import { readConfig } from '../../project/read-config.ts';

export const readAcceptedConfig = async (place: DefinitionPlace): Promise<Config> =>
  readConfig(place.root, await acceptedFiles(place));
