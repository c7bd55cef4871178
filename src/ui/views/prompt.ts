import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { sessionIdOf } from '../../queue/sessions/sessions.ts';
import type { Prompt } from '../../recipes/render.ts';
import { idText, text } from '../fields.ts';
import { defineView } from '../view.ts';

/** The prompt that an agent would get now, and what each section of it costs. */
export type PromptView = Pick<Prompt, 'system' | 'prompt' | 'sections' | 'hash'>;

export const taskPrompt = defineView({
  path: '/api/tasks/:id/prompt',
  input: z.strictObject({ id: idText }),
  read: async (backend, { id }): Promise<PromptView> => {
    const { system, prompt, sections, hash } = await backend.prompt(id);
    return { system, prompt, sections, hash };
  },
});

/** The prompt that the agent of a session got. */
export type SessionPromptView = { prompt: string };

export const sessionPrompt = defineView({
  path: '/api/sessions/:id/prompt',
  input: z.strictObject({ id: text }),
  read: async ({ queue, keptPrompt }, { id }): Promise<SessionPromptView> => {
    const prompt = await keptPrompt(await sessionIdOf(queue, id));
    if (prompt === null) throw new Refusal('The prompt of this session was not saved.');
    return { prompt };
  },
});
