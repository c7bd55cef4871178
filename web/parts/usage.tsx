import type { Usage } from '../../src/domain/sessions/session.ts';
import { money, tokens } from '../../src/domain/text/amounts.ts';
import { modelName, plural } from '../../src/domain/text/text.ts';
import { Text } from './labels.tsx';

/** Model, turns, tokens and cost, as far as the agent has reported them. */
export const UsageText = ({ model, turns, input_tokens, output_tokens, cost_usd }: Usage) => (
  <>
    {model !== null && (
      <span>
        <Text>{modelName(model)}</Text>
      </span>
    )}
    {turns > 0 && <span>{plural(turns, 'turn')}</span>}
    {input_tokens + output_tokens > 0 && (
      <span>
        {tokens(input_tokens)} tokens in, {tokens(output_tokens)} out
      </span>
    )}
    {cost_usd > 0 && <span>{money(cost_usd)}</span>}
  </>
);
