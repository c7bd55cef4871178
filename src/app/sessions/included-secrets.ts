// Files such as `.env` that `.worktreeinclude` copies into slots: agents and gates can read them, so their values are masked
// wherever the values of the environment are.
import { withFileSecrets } from '../../domain/secrets/file-secrets.ts';
import { addIncludedSecrets } from '../../host/slots/include-files.ts';
import { findPlace } from '../open-project.ts';
import type { ProjectContext } from '../world.ts';

/** The same context, whose environment also has the secrets of these files, as they are now and as they become. */
export async function withIncludedSecrets<Context extends ProjectContext>(
  context: Context,
): Promise<Context> {
  const { root, stateDir } = await findPlace(context);
  const env = withFileSecrets(context.env);
  await addIncludedSecrets({ root, stateDir, env });
  return { ...context, env };
}
