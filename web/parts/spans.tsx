import type { Span } from '../../src/domain/text/span.ts';
import { Text } from './text.tsx';

export const Spans = ({ children }: { children: readonly Span[] }) => (
  <>
    {children.map((span) => {
      if (typeof span === 'string') return span;
      if (span.as === 'command') return <code>{span.text}</code>;
      return span.as === 'strong' ? (
        <strong>
          <Text>{span.text}</Text>
        </strong>
      ) : (
        <Text>{span.text}</Text>
      );
    })}
  </>
);
