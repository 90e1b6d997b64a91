import type { User } from '../../domain/user/user'
import { age } from '../print/measures'
import { table } from '../print/table'
import type { ViewSettings } from './session/session-views'

export const userTable = (users: readonly User[], { now, columns }: ViewSettings): string =>
  table(
    users,
    [
      { title: 'NAME', cell: (u) => u.name, max: 100, flexible: 12 },
      { title: 'ROLE', cell: (u) => u.role },
      { title: 'LOGIN', cell: (u) => u.login, max: 40, flexible: 10 },
      { title: 'ADDED', cell: (u) => age(u.createdAt, now), align: 'right', spare: 3 },
      { title: 'BY', cell: (u) => u.addedBy, max: 24, spare: 2 },
      { title: 'USED', cell: (u) => age(u.lastUsedAt, now), align: 'right', spare: 1 },
    ],
    columns,
  )
