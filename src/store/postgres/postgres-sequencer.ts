import type { PostgresExecutor } from './postgres-connection'
import type { PostgresPool } from './postgres-pool'

/** The channel on which the sequencer says that the feed grew. The payload is empty: readers read on from their cursor. */
export const FEED_CHANNEL = 'lodeline_feed'

/** Rows numbered in one transaction. */
const BATCH = 5_000
/** Milliseconds until another process's pass that may have missed our rows is looked at again. */
const OTHERS_TURN_MS = 3

/** A statement of its own: the next one must see what the last holder of the lock committed. */
const TAKE_POSITION = 'select seq from feed_position for update skip locked'

const NUMBER_ROWS = `
  with batch as (select id, row_number() over (order by id) as place
                   from (select id from feed where seq is null order by id limit ${BATCH}) unnumbered),
       numbered as (update feed set seq = $1 + batch.place from batch where feed.id = batch.id returning 1)
  select count(*) as count from numbered`

/**
 * Gives committed rows of the feed their numbers: dense, growing, each once.
 *
 * Writers insert rows without a number, since rows become visible in another order than they were inserted in: a cursor
 * over ids would skip those that commit late. The holder of the lock on `feed_position` numbers what is committed and
 * notifies. Any process may do it, several may try at once; one that finds the lock taken looks again until nothing is left.
 */
export class PostgresSequencer {
  private readonly pool: PostgresPool
  private readonly onError: (thrown: unknown) => void
  private running: Promise<void> | undefined
  private isWanted = false
  private isClosed = false

  /** @param onError  told of failed passes; the next wake-up tries again. */
  constructor(pool: PostgresPool, onError: (thrown: unknown) => void) {
    this.pool = pool
    this.onError = onError
  }

  /** Numbers what is committed by now, soon. */
  wake(): void {
    if (this.isClosed) return
    this.isWanted = true
    this.running ??= this.run().finally(() => {
      this.running = undefined
      if (this.isWanted) this.wake()
    })
  }

  async close(): Promise<void> {
    // Rows of ours that others would have to number are numbered first.
    await this.running
    this.isClosed = true
  }

  private async run(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false
      try {
        while (await this.pass()) {
          // Until nothing is left.
        }
      } catch (thrown) {
        this.onError(thrown)
        return
      }
    }
  }

  /** One transaction. True when there may be more to number. */
  private async pass(): Promise<boolean> {
    const count = await this.pool.begin(numberRows, [TAKE_POSITION])
    if (count !== undefined) return count === BATCH
    const { rows } = await this.pool.execute('select 1 from feed where seq is null limit 1', [])
    if (rows.length === 0) return false
    await Bun.sleep(OTHERS_TURN_MS)
    return true
  }
}

/** How many rows got a number; `undefined` when somebody else is at it. */
async function numberRows(
  { execute }: PostgresExecutor,
  [position]: Record<string, unknown>[][],
): Promise<number | undefined> {
  const seq = position?.[0]?.seq
  if (seq === undefined) return undefined
  const numbered = await execute(NUMBER_ROWS, [seq])
  const count = Number(numbered.rows[0]?.count)
  if (count > 0) {
    await execute('update feed_position set seq = seq + $1', [count])
    await execute(`select pg_notify('${FEED_CHANNEL}', '')`, [])
  }
  return count
}
