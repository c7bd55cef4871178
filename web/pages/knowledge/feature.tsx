import type { Feature } from '../../../src/domain/tasks/feature.ts';
import { plural } from '../../../src/domain/text/text.ts';
import type { FeatureProgress } from '../../../src/queue/tasks/features.ts';
import type { FeatureView } from '../../../src/ui/views/feature.ts';
import { withQuery } from '../../navigation.ts';
import { actAndNotify } from '../../notice.tsx';
import { Ago, Fact, Problem, Text } from '../../parts/labels.tsx';
import { useIsReadOnly } from '../../project.ts';
import { useView } from '../../view.ts';
import { Journal } from './journal.tsx';
import { Learnings } from './learnings.tsx';

type Props = { name: string | null; counts: FeatureProgress | undefined };

export function FeaturePane({ name, counts }: Props) {
  const query = name === null ? '' : `?${new URLSearchParams({ name })}`;
  const { value, error } = useView<FeatureView>(`/api/feature${query}`, ({ kind }) =>
    /^feature\.|^session\.ended/.test(kind),
  );
  return (
    <>
      {/* Above the rest, which stays: a person may be typing in a form below. */}
      <Problem sentence={error} />
      <h2>
        <Text>{value?.feature?.display_name ?? name ?? 'Whole project'}</Text>
      </h2>
      {value !== null && <FeatureFacts view={value} counts={counts} />}
      <Learnings feature={name} />
      {value !== null && <Documents view={value} />}
      <Journal feature={name} />
    </>
  );
}

type FactsProps = { view: FeatureView; counts: FeatureProgress | undefined };

function FeatureFacts({ view: { feature, used_by }, counts }: FactsProps) {
  if (feature === null)
    return <p class="aside">What applies to every task, and to tasks without a feature.</p>;
  return (
    <>
      {feature.description !== null && (
        <p class="said">
          <Text>{feature.description}</Text>
        </p>
      )}
      <dl class="facts">
        <Fact name="State">
          {feature.status}
          {feature.priority !== null && `, priority ${feature.priority}`}
        </Fact>
        {counts !== undefined && (
          <Fact name="Tasks">
            <a href={`/tasks?${new URLSearchParams({ feature: feature.name })}`}>
              {counts.done} done, {counts.open} open
            </a>
          </Fact>
        )}
        <Names name="Builds on" features={feature.dependencies} />
        <Names name="Used by" features={used_by} />
        {feature.spec_file !== null && (
          <Fact name="Spec">
            <FileLink path={feature.spec_file} />
          </Fact>
        )}
        {feature.acceptance_criteria.length > 0 && (
          <Fact name="Done when">
            <ul class="plain">
              {feature.acceptance_criteria.map((criterion) => (
                <li key={criterion}>
                  <Text>{criterion}</Text>
                </li>
              ))}
            </ul>
          </Fact>
        )}
        <Prose name="Architecture" text={feature.architecture} />
        <Prose name="Boundaries" text={feature.boundaries} />
        {feature.context_files.length > 0 && (
          <Fact name="In every prompt">
            {feature.context_files.map((path) => (
              <code key={path}>
                <Text>{path}</Text>
              </code>
            ))}
          </Fact>
        )}
        {feature.added_files.length > 0 && (
          <Fact name="Added by agents">
            <AddedFiles feature={feature} />
          </Fact>
        )}
      </dl>
    </>
  );
}

/** In every prompt of the feature, too; a person may disagree. */
function AddedFiles({ feature: { name, added_files } }: { feature: Feature }) {
  const isReadOnly = useIsReadOnly();
  return (
    <ul class="plain">
      {added_files.map(({ path, task_id, session_id, added }) => (
        <li key={path}>
          <code>
            <Text>{path}</Text>
          </code>{' '}
          <span class="aside">
            <a href={`/tasks/${task_id}`}>task {task_id}</a>, <a href={`/sessions/${session_id}`}>session</a>,{' '}
            <Ago at={added} />
          </span>
          {!isReadOnly && (
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${path}`}
              onClick={() => void actAndNotify('remove-file', { feature: name, path })}
            >
              Remove
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

const Prose = ({ name, text }: { name: string; text: string | null }) =>
  text === null ? null : (
    <Fact name={name}>
      <span class="said">
        <Text>{text}</Text>
      </span>
    </Fact>
  );

const Names = ({ name, features }: { name: string; features: readonly string[] }) =>
  features.length === 0 ? null : (
    <Fact name={name}>
      {features.map((feature) => (
        <a key={feature} href={`/knowledge?${new URLSearchParams({ feature })}`}>
          <Text>{feature}</Text>
        </a>
      ))}
    </Fact>
  );

const FileLink = ({ path }: { path: string }) => (
  <a href={withQuery({ file: path })}>
    <Text>{path}</Text>
  </a>
);

function Documents({ view: { feature, documents, more_documents, suggested } }: { view: FeatureView }) {
  const isReadOnly = useIsReadOnly();
  if (documents.length + suggested.length === 0) return null;
  return (
    <section aria-labelledby="documents">
      <h3 id="documents">Documents and code</h3>
      <ul class="documents">
        {documents.map(({ path, reason }) => (
          <li key={path}>
            {reason === null ? (
              <FileLink path={path} />
            ) : (
              <span class="aside">
                <Text>{`${path} (${reason})`}</Text>
              </span>
            )}
          </li>
        ))}
      </ul>
      {more_documents > 0 && <p class="aside">and {plural(more_documents, 'more file')}</p>}
      {suggested.length > 0 && (
        <div class="card">
          <p>Its sessions look for {plural(suggested.length, 'file')} again and again:</p>
          <ul class="rows">
            {suggested.map(({ path, sessions }) => (
              <li key={path}>
                <code>
                  <Text>{path}</Text>
                </code>
                <span class="aside">{plural(sessions, 'session')}</span>
              </li>
            ))}
          </ul>
          {!isReadOnly && (
            <div class="buttons">
              <button
                type="button"
                onClick={() => void actAndNotify('approve-files', { feature: feature?.name })}
              >
                Add them to every prompt of this feature
              </button>
            </div>
          )}
        </div>
      )}
    </section>
  );
}
