import type { LiveConfig } from '../../config/live'
import type { ConfigEntry } from '../../config/load'
import { shownValue } from '../../config/shown-value'
import { AUDIT_LIMITS, type AuditDetail } from '../../domain/audit'
import type { Store } from '../../domain/store'
import type { AuditService } from '../../engine/audit/audit-service'
import { actorOf } from '../../engine/audit/record-act'
import { SYSTEM } from '../../engine/unit/unit'
import { sha256Hex } from '../../util/crypto'
import type { Logger } from '../../util/log'

/** Lines that are read at once. */
const PAGE = 200

export interface AuditSettingsOptions {
  store: Pick<Store, 'audit'>
  audit: AuditService
  log: Pick<Logger, 'error'>
  /** All settings, as they are now. */
  settings: () => readonly ConfigEntry[]
  onSettings: LiveConfig['onChange'] | undefined
}

/**
 * Records which settings differ from those of the last line: at the start, so that a change of the file while no server ran is seen too,
 * and after each change that takes effect. A file does not say who changed it.
 *
 * @returns ends it
 */
export async function auditSettings({
  store,
  audit,
  log,
  settings,
  onSettings,
}: AuditSettingsOptions): Promise<() => Promise<void>> {
  const known = await lastSettings(store)
  const look = async (): Promise<void> => {
    const detail = changes(known, settings())
    if (Object.keys(detail).length === 0) return
    await audit.record({ act: 'settings.change', actor: actorOf(SYSTEM), target: null, detail })
    for (const [key, value] of Object.entries(detail)) known.set(key, value)
  }
  await look()
  // One after the other: each compares with what the one before has recorded.
  let looking: Promise<void> = Promise.resolve()
  const stop = onSettings?.(() => {
    looking = looking.then(look).catch((error: unknown) => log.error('new settings could not be audited', { error }))
  })
  return async () => {
    stop?.()
    await looking
  }
}

/** What the lines say that each setting is; a setting without one has its default. */
async function lastSettings({ audit }: Pick<Store, 'audit'>): Promise<Map<string, AuditDetail[string]>> {
  const known = new Map<string, AuditDetail[string]>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await audit.list({ act: 'settings.change' }, { limit: PAGE, ...(cursor !== undefined && { cursor }) })
    // The newest come first.
    for (const { detail } of page.rows)
      for (const [key, value] of Object.entries(detail)) if (!known.has(key)) known.set(key, value)
    cursor = page.nextCursor
  }
  return known
}

/** New values by key; `null` = the default again. */
function changes(known: ReadonlyMap<string, AuditDetail[string]>, settings: readonly ConfigEntry[]): AuditDetail {
  const now = settings.map(
    ({ key, value, origin }) => [key, origin === 'default' ? null : valueText(shownValue(key, value))] as const,
  )
  return Object.fromEntries(now.filter(([key, value]) => value !== (known.get(key) ?? null)))
}

/** A digest stands for a value that is too long for a line. */
function valueText(value: unknown): string {
  const text = JSON.stringify(value)
  if (text.length <= AUDIT_LIMITS.value) return text
  return `${text.slice(0, AUDIT_LIMITS.value - 80)}… sha256 ${sha256Hex(text)}`
}
