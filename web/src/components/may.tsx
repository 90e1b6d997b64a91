import type { ReactNode } from 'react'
import type { OperationName } from '#api/contract/operations/index'
import { useMay } from '../lib/me'

/** Shows what does something on the server to who may do that. */
export const May = ({ act, children }: { act: OperationName; children: ReactNode }) => (useMay(act) ? children : null)

/** Fields that everybody sees, and that only who may change them can use. */
export const FieldsOf = ({ act, children }: { act: OperationName; children: ReactNode }) => (
  <fieldset disabled={!useMay(act)} className="contents">
    {children}
  </fieldset>
)
