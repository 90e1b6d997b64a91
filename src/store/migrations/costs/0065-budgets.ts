/** Budgets: how much each person, project or CLI may use, and which tasks wait for more. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table budgets (
    id ${t.key},
    name ${t.bytewise} not null unique,
    project ${t.bytewise}, -- key in the tree
    agent_cli text,
    subagent text,
    task_id ${t.bytewise}, -- public ID
    period text not null, -- day | month | ever
    zone text not null,
    unit text not null, -- usd | tokens
    most double precision not null,
    action text not null, -- warn | ask | park
    extra double precision not null,
    extra_until ${t.int},
    used double precision,
    used_until ${t.int},
    is_estimate ${t.int} not null,
    counted_at ${t.int},
    over_since ${t.int},
    created_at ${t.int} not null
  )`,
  `create table budget_holds (
    task_id ${t.int} not null primary key references tasks(id) on delete cascade,
    budget ${t.bytewise} not null,
    until ${t.int}
  )`,
  `create index budget_holds_budget on budget_holds (budget)`,
]

const down = (): string[] => ['drop table budget_holds', 'drop table budgets']

export const budgetsMigration: Migration = { number: 65, name: 'budgets', up, down }
