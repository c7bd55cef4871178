import type { ComponentChildren } from 'preact';

type Step = { name: string; href: string };
/** `children`: where in the list somebody is. */
type Props = { label: string; before: Step | null; after: Step | null; children: ComponentChildren };

export const Pager = ({ label, before, after, children }: Props) => (
  <nav class="pages" aria-label={label}>
    {before !== null && <Turn {...before} />}
    {children}
    {after !== null && <Turn {...after} />}
  </nav>
);

const Turn = ({ name, href }: Step) => (
  <a href={href} onClick={() => scrollTo(0, 0)}>
    {name}
  </a>
);
