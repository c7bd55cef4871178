// A done without a change: tasks that expect none, the question that asks a person to accept it, and the reason on the receipt.
export const noChange = `
alter table tasks add column kind text not null default 'change' check (kind in ('change', 'investigate'));
alter table questions add column approves text references sessions (id) on delete restrict;
alter table receipts add column no_change_reason text;
`;
