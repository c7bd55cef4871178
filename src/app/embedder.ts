import { type Embedder, sharedEmbedder } from '../context/ollama.ts';
import type { Config } from '../domain/config.ts';
import { isLocalOllama } from '../domain/trust.ts';
import { readTrust } from './definitions/trust.ts';
import type { Project } from './open-project.ts';
import type { ProjectContext } from './world.ts';

/** Null if the project's configuration names another server for its learnings and no person has trusted it. */
export async function embedderFor(
  context: ProjectContext,
  project: Project,
  config: Config,
): Promise<Embedder | null> {
  const { ollama_url: url, embedding_model: model } = config.knowledge;
  const isAllowed = isLocalOllama(url) || (await readTrust(context, project, config)).trusted;
  return isAllowed ? sharedEmbedder({ url, model }) : null;
}
