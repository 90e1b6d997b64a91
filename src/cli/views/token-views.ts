import type { Share } from '../../domain/token/share'
import type { Enrollment, Token } from '../../domain/token/token'
import { age, localTime } from '../print/measures'
import { table } from '../print/table'
import type { ViewSettings } from './session/session-views'

const until = (at: string | null): string | null => (at === null ? 'never' : localTime(at))

export const tokenTable = (tokens: readonly Token[], { now, columns }: ViewSettings): string =>
  table(
    tokens,
    [
      { title: 'ID', cell: (t) => t.id, max: 24 },
      { title: 'ROLE', cell: (t) => t.role },
      { title: 'NAME', cell: (t) => t.name, max: 100, flexible: 12 },
      { title: 'STATE', cell: (t) => t.state },
      { title: 'CREATED', cell: (t) => age(t.createdAt, now), align: 'right', spare: 2 },
      { title: 'USED', cell: (t) => age(t.lastUsedAt, now), align: 'right', spare: 1 },
      { title: 'EXPIRES', cell: (t) => until(t.expiresAt) },
    ],
    columns,
  )

export const shareTable = (shares: readonly Share[], { now, columns }: ViewSettings): string =>
  table(
    shares,
    [
      { title: 'ID', cell: (s) => s.id, max: 24 },
      { title: 'SESSION', cell: (s) => s.sessionId, max: 36, flexible: 12 },
      {
        title: 'SHOWS',
        cell: (s) =>
          s.besideId === null ? `turns ${Math.max(1, s.from)}-${s.until}` : `beside ${s.besideId.slice(0, 8)}`,
      },
      { title: 'STATE', cell: (s) => s.state },
      { title: 'CREATED', cell: (s) => age(s.createdAt, now), align: 'right', spare: 2 },
      { title: 'USED', cell: (s) => age(s.lastUsedAt, now), align: 'right', spare: 1 },
      { title: 'EXPIRES', cell: (s) => until(s.expiresAt) },
    ],
    columns,
  )

export const enrollmentTable = (workers: readonly Enrollment[], { now, columns }: ViewSettings): string =>
  table(
    workers,
    [
      { title: 'NAME', cell: (w) => w.name, max: 100, flexible: 12 },
      { title: 'STATE', cell: (w) => w.state },
      { title: 'HOST', cell: (w) => w.host, max: 30, spare: 3 },
      { title: 'CREATED', cell: (w) => age(w.createdAt, now), align: 'right' },
      { title: 'USED', cell: (w) => age(w.lastUsedAt, now), align: 'right' },
      { title: 'EXPIRES', cell: (w) => until(w.expiresAt) },
    ],
    columns,
  )
