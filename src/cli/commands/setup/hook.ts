import { Argument } from 'commander';
import { answerHook, HOOKS, type HookName } from '../../claude-code/hooks.ts';
import { defineCommand } from '../../command.ts';

export const hook = defineCommand<[HookName]>({
  name: 'hook',
  summary: 'answer a hook of Claude Code; the plugin calls it',
  group: 'Set up',
  args: [new Argument('<event>', 'what Claude Code is about to do').choices(HOOKS)],
  examples: ['ralph hook session-start', 'ralph hook stop'],
  run: async (context, [name]) => {
    const answer = await answerHook(name, context);
    return { json: answer, text: answer === null ? '' : JSON.stringify(answer) };
  },
});
