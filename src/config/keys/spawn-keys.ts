import { SPAWN_LIMITS } from '../../domain/task/task'
import type { KeySpec } from '../key-spec'
import { isOff, whole } from '../parse-values'

/** How far runs may spawn tasks, and how long they are theirs, by key. */
export interface SpawnSettings {
  'tasks.leaseSeconds': number | null
  'tasks.maxDepth': number
  'tasks.maxChildren': number
  'tasks.maxTree': number
  'tasks.maxPerUser': number
  'tasks.maxPerProject': number
  'tasks.maxPerAgent': number
}

/** They bound what agents cost, so a repository's file may set none of them. */
export const SPAWN_KEYS: { readonly [K in keyof SpawnSettings]: KeySpec<SpawnSettings[K]> } = {
  'tasks.leaseSeconds': {
    help: "lease time: seconds after which a silent worker's task goes to another worker, 5 to 600; off = 15, or 60 with PostgreSQL",
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : whole(value, 5, 600, ' or off')),
  },
  'tasks.maxDepth': {
    help: 'how many levels deep runs may create tasks, 0 to 50; 0 = runs create no tasks',
    isProjectSafe: false,
    isLive: false,
    fallback: () => SPAWN_LIMITS.depth,
    parse: (value) => whole(value, 0, 50),
  },
  'tasks.maxChildren': {
    help: "how many open tasks one task's run may have created, 1 to 10000",
    isProjectSafe: false,
    isLive: false,
    fallback: () => SPAWN_LIMITS.children,
    parse: (value) => whole(value, 1, 10_000),
  },
  'tasks.maxTree': {
    help: 'how many open tasks runs may have created below one top task, on all levels, 1 to 100000',
    isProjectSafe: false,
    isLive: false,
    fallback: () => SPAWN_LIMITS.tree,
    parse: (value) => whole(value, 1, 100_000),
  },
  'tasks.maxPerUser': atOnce('how many tasks of one person run at once'),
  'tasks.maxPerProject': atOnce('how many tasks of one repository or folder run at once'),
  'tasks.maxPerAgent': atOnce('how many tasks one agent CLI runs at once, on all machines'),
}

function atOnce(what: string): KeySpec<number> {
  return {
    help: `${what}, 0 to 100000; 0 = as many as there is room for`,
    isProjectSafe: false,
    isLive: false,
    fallback: () => 0,
    parse: (value) => whole(value, 0, 100_000),
  }
}
