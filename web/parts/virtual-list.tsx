import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

type Props = {
  label: string;
  total: number;
  selected: number | null;
  /** The list stays scrolled to its end as it grows. */
  isFollowing: boolean;
  row(position: number): ComponentChildren;
  onSelect(position: number): void;
  /** `step`: a number of rows; infinite for the first or last row. */
  onMove(step: number): void;
  /** The person scrolled away from the end. */
  onLeave(): void;
  /** The rows from `first` to before `last` are in sight, or nearly. */
  onShow(first: number, last: number): void;
};

/** Every row has the same height, so that its place is known without the rows before it. */
const ROW_HEIGHT = 24;
const EXTRA_ROWS = 10;

/** A list of any length, of which only the rows in sight exist. */
export function VirtualList({
  label,
  total,
  selected,
  isFollowing,
  row,
  onSelect,
  onMove,
  onLeave,
  onShow,
}: Props) {
  const box = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const id = useId();
  const [seen, setSeen] = useState({ top: 0, height: 0 });
  const first = Math.max(0, Math.floor(seen.top / ROW_HEIGHT) - EXTRA_ROWS);
  const last = Math.min(total, Math.ceil((seen.top + seen.height) / ROW_HEIGHT) + EXTRA_ROWS);

  const look = (): void => {
    const { scrollTop: top = 0, clientHeight: height = 0, scrollHeight = 0 } = box.current ?? {};
    if (top < lastTop.current && top + height < scrollHeight - ROW_HEIGHT) onLeave();
    lastTop.current = top;
    setSeen({ top, height });
  };

  useEffect(() => {
    const observer = new ResizeObserver(look);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (isFollowing) box.current?.scrollTo({ top: total * ROW_HEIGHT });
  }, [isFollowing, total, seen.height]);

  useLayoutEffect(() => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    if (selected === null) return;
    const top = selected * ROW_HEIGHT;
    if (top < scrollTop) box.current?.scrollTo({ top });
    else if (top + ROW_HEIGHT > scrollTop + clientHeight)
      box.current?.scrollTo({ top: top + ROW_HEIGHT - clientHeight });
  }, [selected]);

  useEffect(() => onShow(first, last), [first, last, total]);

  const steps: Record<string, number> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: Math.floor(seen.height / ROW_HEIGHT),
    PageUp: -Math.floor(seen.height / ROW_HEIGHT),
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    onMove(step);
  };
  const onClick = ({ target }: MouseEvent): void => {
    const option = target instanceof Element ? target.closest('[role=option]') : null;
    if (option !== null) onSelect(Number(option.getAttribute('aria-posinset')) - 1);
  };

  return (
    <div
      ref={box}
      class="virtual-list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={
        selected !== null && selected >= first && selected < last ? `${id}-${selected}` : undefined
      }
      onScroll={look}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div role="presentation" style={{ height: `${total * ROW_HEIGHT}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, index) => {
          const position = first + index;
          return (
            <div
              key={position}
              id={`${id}-${position}`}
              role="option"
              tabIndex={-1}
              aria-selected={position === selected}
              aria-setsize={total}
              aria-posinset={position + 1}
              style={{ top: `${position * ROW_HEIGHT}px` }}
            >
              {row(position)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
