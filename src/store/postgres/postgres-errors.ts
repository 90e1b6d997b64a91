import { SQL } from 'bun'
import { AppError, isAppError, toAppError } from '../../domain/errors'

/** SQLSTATEs after which the same unit may well succeed: nothing of it was kept. */
const RETRYABLE = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
])

/** SQLSTATEs, or their class (first two characters), that mean something to a caller; all others are `internal`. */
const UNAVAILABLE = new Set([
  '08', // connection exception
  '40', // transaction rollback, after all retries
  '53300', // too_many_connections
  '53200', // out_of_memory
  '55P03', // lock_not_available
  '57', // operator intervention: shutting down, starting up, statement timeout
])
/** After these the server has ended the connection: shut down by an administrator, a crash, idle within a transaction. */
const ENDING = new Set(['57P01', '57P02', '57P05', '25P03'])
/** A pooler of transactions refuses what a session would keep. */
const POOLER_REFUSAL = /unsupported startup parameter/
const FULL = new Set(['53100', '53000']) // disk_full, insufficient_resources
const READONLY = new Set(['25006', '42501']) // read_only_sql_transaction, insufficient_privilege
const CORRUPT = new Set(['XX001', 'XX002']) // data_corrupted, index_corrupted
const CONFLICT = new Set(['23']) // integrity constraint violation
const LOGIN = new Set(['28', '3D000']) // invalid authorization, no such database

/** True when the unit should be run again from its start. */
export const isRetryable = (thrown: unknown): boolean => RETRYABLE.has(stateOf(thrown) ?? '')

/** A statement got no lock in its time. */
export const isLockTimeout = (thrown: unknown): boolean => ['55P03', '40P01'].includes(stateOf(thrown) ?? '')

/** The server's SQLSTATE; `undefined` for errors of the connection, or of ours. */
function stateOf(thrown: unknown): string | undefined {
  const error = thrown instanceof AppError ? thrown.cause : thrown
  return error instanceof SQL.PostgresError && typeof error.errno === 'string' ? error.errno : undefined
}

/** The connection is of no further use: it broke, or the server ends it. */
export function isOfConnection(thrown: unknown): boolean {
  const error = thrown instanceof AppError ? (thrown.cause ?? thrown) : thrown
  if (!(error instanceof SQL.PostgresError)) return false
  const state = stateOf(error)
  return state === undefined || state.startsWith('08') || ENDING.has(state)
}

/** A server was asked for a connection and said nothing. */
export function isConnectTimeout(thrown: unknown): boolean {
  const error = thrown instanceof AppError ? thrown.cause : thrown
  return error instanceof SQL.PostgresError && error.code === 'ERR_POSTGRES_CONNECTION_TIMEOUT'
}

/** The server can't be written: it was demoted, or it is a standby. */
export const isStandby = (thrown: unknown): boolean => stateOf(thrown) === '25006'

/** OpenSSL's words for what is wrong with a certificate, as the runtime gives them. */
const isCertificateError = (thrown: unknown): thrown is Error & { code: string } =>
  thrown instanceof Error &&
  'code' in thrown &&
  typeof thrown.code === 'string' &&
  /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH/.test(thrown.code)

/** The one place where PostgreSQL's errors become ours, by SQLSTATE. Anything else passes through `toAppError`. */
export function mapPostgresError(thrown: unknown): AppError {
  if (isAppError(thrown)) return thrown
  if (isCertificateError(thrown)) {
    return new AppError('unavailable', "The database server's certificate is not valid for its name.", {
      hint: 'Add sslrootcert=FILE to LODELINE_DATABASE_URL, with the certificate that signs it. Check the host name.',
      details: { tls: thrown.code },
      cause: thrown,
    })
  }
  if (!(thrown instanceof SQL.PostgresError)) return toAppError(thrown)
  const state = stateOf(thrown)
  const details = { postgres: state ?? thrown.code }
  const is = (states: Set<string>): boolean =>
    state !== undefined && (states.has(state) || states.has(state.slice(0, 2)))
  if (POOLER_REFUSAL.test(thrown.message)) {
    return new AppError('invalid', 'The database URL leads to a pooler that refuses settings of a session.', {
      hint: 'Set databaseDirectUrl to the address of the database itself.',
      details,
      cause: thrown,
    })
  }
  if (state === undefined || is(UNAVAILABLE)) {
    return new AppError('unavailable', 'The database server is unreachable or too busy.', {
      hint: 'Check LODELINE_DATABASE_URL and the server, then try again.',
      details,
      cause: thrown,
    })
  }
  if (is(FULL)) {
    return new AppError('storage_full', 'No space is left on the database server.', {
      hint: 'Free some space; nothing that was acknowledged is lost.',
      details,
      cause: thrown,
    })
  }
  if (is(READONLY)) {
    return new AppError('storage_readonly', "This user can't write the database.", {
      hint: 'Check whether it is a standby, and which rights the user has.',
      details,
      cause: thrown,
    })
  }
  if (is(CORRUPT)) {
    return new AppError('storage_corrupt', 'The database server reports that its data is damaged.', {
      details,
      cause: thrown,
    })
  }
  if (is(LOGIN)) {
    return new AppError('unavailable', 'The database server refused the login.', {
      hint: 'Check the user, password and database in LODELINE_DATABASE_URL.',
      details,
      cause: thrown,
    })
  }
  if (is(CONFLICT)) {
    return new AppError('conflict', 'A row like this already exists, or a row that it needs does not exist.', {
      details,
      cause: thrown,
    })
  }
  return new AppError('internal', thrown.message, { details, cause: thrown })
}
