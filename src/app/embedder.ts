import { type Embedder, sharedEmbedder } from '../context/ollama.ts';
import type { Config } from '../domain/config.ts';
import { isLocalOllama } from '../domain/trust.ts';
import type { Project } from './open-project.ts';
import { trustOf } from './trust.ts';
import type { ProjectContext } from './world.ts';

/** Null where a project's own file says where to send its learnings, and nobody has said that they may go there. */
export async function embedderFor(
  context: ProjectContext,
  project: Project,
  config: Config,
): Promise<Embedder | null> {
  const { ollama_url: url, embedding_model: model } = config.knowledge;
  const isAllowed = isLocalOllama(url) || (await trustOf(context, project, config)).trusted;
  return isAllowed ? sharedEmbedder({ url, model }) : null;
}
