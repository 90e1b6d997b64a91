import { SPAWN_LIMITS } from '../domain/task'
import type { KeySpec } from './keys'
import { isOff, whole } from './parse-values'

/** How far runs may spawn tasks, and how long they are theirs, by key. */
export interface SpawnSettings {
  'tasks.leaseSeconds': number | null
  'tasks.maxDepth': number
  'tasks.maxChildren': number
  'tasks.maxTree': number
}

/** They bound what agents cost, so a repository's file may set none of them. */
export const SPAWN_KEYS: { readonly [K in keyof SpawnSettings]: KeySpec<SpawnSettings[K]> } = {
  'tasks.leaseSeconds': {
    help: 'seconds after which a task of a worker that is not heard of goes to another, 5 to 600; off = 15, with PostgreSQL 60',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : whole(value, 5, 600, ' or off')),
  },
  'tasks.maxDepth': {
    help: 'levels of tasks that runs may make, one below the other, 0 to 50; 0 = runs make none',
    isProjectSafe: false,
    isLive: false,
    fallback: () => SPAWN_LIMITS.depth,
    parse: (value) => whole(value, 0, 50),
  },
  'tasks.maxChildren': {
    help: 'open tasks that the run of one task may have made, 1 to 10000',
    isProjectSafe: false,
    isLive: false,
    fallback: () => SPAWN_LIMITS.children,
    parse: (value) => whole(value, 1, 10_000),
  },
  'tasks.maxTree': {
    help: 'open tasks that runs may have made below one task, on all levels, 1 to 100000',
    isProjectSafe: false,
    isLive: false,
    fallback: () => SPAWN_LIMITS.tree,
    parse: (value) => whole(value, 1, 100_000),
  },
}
