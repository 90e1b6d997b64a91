import { expect, test } from 'bun:test'
import { ERROR_CODES } from '../../domain/errors'
import { codeOfStatus, ERROR_TABLE, exitCodeOf, isErrorCode, statusOf } from './error-codes'

test('codes, statuses and exit codes are pinned: scripts rely on them', () => {
  const pinned = Object.entries(ERROR_TABLE).map(([code, { status, exitCode }]) => [code, { status, exitCode }])
  expect(Object.fromEntries(pinned)).toEqual({
    internal: { status: 500, exitCode: 1 },
    invalid: { status: 400, exitCode: 2 },
    not_found: { status: 404, exitCode: 3 },
    conflict: { status: 409, exitCode: 4 },
    unauthorized: { status: 401, exitCode: 5 },
    forbidden: { status: 403, exitCode: 6 },
    too_large: { status: 413, exitCode: 7 },
    unavailable: { status: 503, exitCode: 8 },
    storage_full: { status: 507, exitCode: 9 },
    storage_readonly: { status: 503, exitCode: 10 },
    storage_corrupt: { status: 500, exitCode: 11 },
    schema_mismatch: { status: 503, exitCode: 12 },
    lease_lost: { status: 412, exitCode: 13 },
  })
})

test('every code has an exit code of its own', () => {
  expect(new Set(ERROR_CODES.map(exitCodeOf)).size).toBe(ERROR_CODES.length)
})

test('a status reads back as a code with that status, and any other as its kind', () => {
  for (const code of ERROR_CODES) expect(statusOf(codeOfStatus(statusOf(code)))).toBe(statusOf(code))
  expect([401, 503, 500, 418, 502, 504, 599].map(codeOfStatus)).toEqual([
    'unauthorized',
    'unavailable',
    'internal',
    'invalid',
    'unavailable',
    'unavailable',
    'internal',
  ])
  expect(isErrorCode('conflict')).toBe(true)
  expect(isErrorCode('toString')).toBe(false)
})
