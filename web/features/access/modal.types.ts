/** How the profile menu opens and closes what it has. */
export interface MenuModal {
  opened: boolean;
  onClose: () => void;
  /** After what it is for has been done, and not only closed. */
  onSaved?: () => void;
}
