/** What a phone input holds: the selected country ('' if none is selected) and the number as it was typed. */
export interface PhoneValue {
  country: string;
  number: string;
}

/** The parts of a number in wire format. */
export interface PhoneWire {
  phone: string;
  phone_country: string;
  phone_calling: string;
}
