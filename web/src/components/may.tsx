import type { ReactNode } from 'react'
import type { OperationName } from '#api/contract/operations/index'
import { useMay } from '../lib/me'

/** Shows what changes the server, if the person may change it. */
export const May = ({ act, children }: { act: OperationName; children: ReactNode }) => (useMay(act) ? children : null)

/** Fields that everybody sees, and that only people with the right can change. */
export const FieldsOf = ({ act, children }: { act: OperationName; children: ReactNode }) => (
  <fieldset disabled={!useMay(act)} className="contents">
    {children}
  </fieldset>
)
