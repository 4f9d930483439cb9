"""The values of the synthetic census: a tree per attribute, whose leaves from first to last are its values.

A tree is nested: group -> groups, or group -> values. The order of the leaves is the order the generator cuts
along; apart from schooling and work it means nothing, and neither do the associations that follow from it.
"""

from __future__ import annotations

from typing import Final

GENDER: Final = ("Female", "Male")

RACE: Final = {
    "White or Black": ["White", "Black or African American"],
    "Indigenous or islander": ["American Indian or Alaska Native", "Native Hawaiian or Pacific Islander"],
    "Asian": ["Chinese", "Japanese", "Other Asian"],
    "Other or several": ["Other race", "Two or more races"],
}

MARITAL: Final = {
    "Single": ["Never married"],
    "Married": ["Living with spouse", "Living apart from spouse"],
    "Formerly married": ["Separated", "Divorced", "Widowed"],
}

BIRTHPLACE: Final = {
    "United States": {
        "Northeast": [
            "Maine",
            "New Hampshire",
            "Vermont",
            "Massachusetts",
            "Rhode Island",
            "Connecticut",
            "New Jersey",
            "Pennsylvania",
            "New York",
        ],
        "Midwest": [
            "Ohio",
            "Michigan",
            "Indiana",
            "Illinois",
            "Wisconsin",
            "Minnesota",
            "Iowa",
            "Missouri",
            "North Dakota",
            "South Dakota",
            "Nebraska",
            "Kansas",
        ],
        "South": [
            "Delaware",
            "Maryland",
            "Virginia",
            "West Virginia",
            "Kentucky",
            "Tennessee",
            "North Carolina",
            "South Carolina",
            "Georgia",
            "Alabama",
            "Mississippi",
            "Arkansas",
            "Louisiana",
            "Oklahoma",
            "Florida",
            "Texas",
        ],
        "West": [
            "California",
            "Arizona",
            "Washington",
            "Colorado",
            "Oregon",
            "Utah",
            "Nevada",
            "New Mexico",
            "Idaho",
            "Montana",
            "Wyoming",
            "Hawaii",
            "Alaska",
        ],
    },
    "Another country": {
        "Americas": ["Latin America or Caribbean", "Canada or Greenland"],
        "Eurasia": ["Asia", "Europe"],
        "Africa or Oceania": ["Africa", "Oceania"],
    },
}

EDUCATION: Final = {
    "No diploma": {
        "Primary or less": ["No schooling", "Kindergarten", "Grades 1 to 4", "Grades 5 and 6"],
        "Lower secondary": ["Grades 7 and 8", "Grade 9"],
        "Upper secondary": ["Grade 10", "Grade 11", "Grade 12 without diploma"],
    },
    "Diploma": {
        "High school": ["High school diploma", "High school equivalency"],
        "College": ["Some college", "Associate degree"],
    },
    "University": {
        "First degree": ["Bachelor's degree"],
        "Further degree": ["Master's degree", "Professional degree", "Doctorate"],
    },
}

WORKCLASS: Final = {
    "Without pay": ["Never worked", "Unpaid family worker"],
    "Private employer": ["Private company", "Private non-profit"],
    "Self-employed": ["Unincorporated business", "Incorporated business"],
    "Government": ["Local government", "State government", "Federal government"],
}

OCCUPATION: Final = {
    "Hands and machines": {
        "Land and animals": ["Farm worker", "Gardener", "Forester", "Fisher", "Animal caretaker"],
        "Production": ["Packer", "Assembler", "Machine operator", "Butcher", "Tailor", "Welder"],
        "Transport": ["Warehouse worker", "Delivery driver", "Bus driver", "Truck driver", "Train driver"],
        "Building and repair": ["Painter", "Roofer", "Carpenter", "Mechanic", "Plumber", "Electrician"],
    },
    "Service and office": {
        "Personal service": ["Cleaner", "Waiter", "Cook", "Hairdresser", "Childcare worker"],
        "Sales": ["Cashier", "Retail salesperson", "Travel agent", "Estate agent"],
        "Office": ["Receptionist", "Office clerk", "Bookkeeper", "Secretary"],
        "Public safety": ["Security guard", "Firefighter", "Police officer"],
    },
    "Professions": {
        "Education and culture": ["Librarian", "Musician", "Journalist", "Teacher"],
        "Health": ["Nurse", "Pharmacist", "Dentist", "Physician"],
        "Science and business": ["Accountant", "Engineer", "Software developer", "Lawyer"],
    },
}
