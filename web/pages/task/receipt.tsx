import type { Receipt } from '../../../src/domain/sessions/gate.ts';
import { plural } from '../../../src/domain/text/text.ts';
import type { TaskView } from '../../../src/ui/views/task.ts';
import { showNotice } from '../../notice.tsx';
import { Ago, Fact, GateName } from '../../parts/labels.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { UsageText } from '../../parts/usage.tsx';

type Props = { receipt: Receipt } & Pick<TaskView, 'given'>;

/** The proof behind a done. */
export function ReceiptCard({ receipt, given }: Props) {
  const { commit, diff_stat, tree_hash } = receipt;
  return (
    <section aria-labelledby="receipt" class="card done receipt">
      <h2 id="receipt">Receipt</h2>
      <LongText text={receipt.summary} />
      <dl>
        <Fact name="commit">{commit === null ? 'none' : <Hash name="commit" hash={commit} />}</Fact>
        {diff_stat !== null && (
          <Fact name="changed">
            <span>{plural(diff_stat.files, 'file')}</span>
            <span class="added">+{diff_stat.insertions}</span>
            <span class="removed">-{diff_stat.deletions}</span>
          </Fact>
        )}
        {receipt.no_change_reason !== null && <Fact name="no change">{receipt.no_change_reason}</Fact>}
        {tree_hash !== null && (
          <Fact name="tree">
            <Hash name="tree" hash={tree_hash} />
          </Fact>
        )}
        <Fact name="gates">
          {receipt.gates.length === 0
            ? 'no gate is configured, so none ran'
            : receipt.gates.map((gate) => (
                <GateName key={gate.name} gate={gate}>
                  {!gate.required && ' (not required)'}
                </GateName>
              ))}
        </Fact>
        {(receipt.model !== null || receipt.turns > 0 || receipt.cost_usd > 0) && (
          <Fact name="spent">
            <UsageText {...receipt} />
          </Fact>
        )}
        {given.length > 0 && (
          <Fact name="learnings">
            {given.map(({ id, href }) =>
              href === null ? (
                <span key={id} class="aside">
                  learning {id}, removed since
                </span>
              ) : (
                <a key={id} href={href}>
                  learning {id}
                </a>
              ),
            )}
          </Fact>
        )}
        <Fact name="when">
          <Ago at={receipt.created} />
          <a href={`/sessions/${receipt.session_id}`}>What its session did</a>
        </Fact>
      </dl>
    </section>
  );
}

const Hash = ({ name, hash }: { name: string; hash: string }) => (
  <>
    <code title={hash}>{hash.slice(0, 7)}</code>
    <button
      type="button"
      class="quiet"
      aria-label={`Copy the ${name}`}
      onClick={() =>
        void navigator.clipboard.writeText(hash).then(
          () => showNotice(`Copied the ${name} ${hash}.`),
          () => showNotice(`This browser does not allow copying. The value is ${hash}.`, true),
        )
      }
    >
      Copy
    </button>
  </>
);
