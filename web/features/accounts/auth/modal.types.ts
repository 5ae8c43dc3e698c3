/** How the profile menu opens and closes its modals. */
export interface MenuModal {
  opened: boolean;
  onClose: () => void;
  /** Called after the modal's action is done, not when it is just closed. */
  onSaved?: () => void;
}
