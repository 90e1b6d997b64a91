import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { AppError } from '../../domain/errors'

/** A driver of one connection, whose owner closes it and begins the transactions. */
export class OneConnectionDriver implements Driver {
  private readonly connection: DatabaseConnection

  constructor(connection: DatabaseConnection) {
    this.connection = connection
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection
  }

  async beginTransaction(): Promise<void> {
    throw new AppError('internal', 'Only the store starts transactions.')
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

/** Runs whole statements. An open cursor would pin the write-ahead log, or hold a connection and old rows: lists are paged instead. */
export abstract class WholeStatements implements DatabaseConnection {
  abstract executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>>

  // biome-ignore lint/correctness/useYield: the interface asks for it
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new AppError('internal', 'Queries are not streamed. Read page by page.')
  }
}
